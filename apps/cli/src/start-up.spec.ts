import { build, type BuildOptions, type Metafile } from 'esbuild';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = process.cwd();

/** As tools/build.mjs bundles it, without writing it. */
const bundled = async (): Promise<Metafile> => {
  const { bundling } = (await import(pathToFileURL(join(root, 'tools', 'bundling.mjs')).href)) as {
    bundling: BuildOptions;
  };
  const entryPoints = [join(root, 'apps', 'cli', 'src', 'main.ts')];
  const places = { outdir: join(root, 'dist', 'start-up'), write: false } as const;
  const { metafile } = await build({ ...bundling, ...places, entryPoints, splitting: true, metafile: true });
  return metafile;
};

/** The packages that are loaded with a file of the bundle, not counting what it loads later. */
const packagesOf = ({ outputs }: Metafile, file: string, seen = new Set<string>()): readonly string[] => {
  if (seen.has(file)) return [];
  seen.add(file);
  const now = (outputs[file]?.imports ?? []).filter(({ kind }) => kind === 'import-statement');
  return now.flatMap(({ path, external }) => (external ? [path] : packagesOf({ outputs, inputs: {} }, path, seen)));
};

test('a command on keys waits for no client of a broker or of another store, and for nothing that migrates', async () => {
  const metafile = await bundled();
  const chunk = (source: string): string =>
    Object.keys(metafile.outputs).find((file) => metafile.outputs[file]?.entryPoint === source) ?? '';
  const loaded = ['apps/cli/src/main.ts', 'apps/cli/src/commands/keys.ts'].flatMap((source) =>
    packagesOf(metafile, chunk(source)),
  );
  const packages = new Set(loaded.filter((name) => !name.startsWith('node:')));
  expect([...packages].sort()).toEqual(['commander', 'ipaddr.js', 'pg', 'uuid']);
});
