import { transformFile } from '@swc/core';
import { build } from 'esbuild';
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');

/** As jest.config.mjs has it: Nest reads at run time of which class a parameter is, which esbuild leaves out. */
const withMetadata = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

const decoratorMetadata = {
  name: 'decorator-metadata',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) =>
      /^\s*@[A-Z]\w*\(/m.test(readFileSync(path, 'utf8'))
        ? { contents: (await transformFile(path, withMetadata)).code, loader: 'js' }
        : undefined,
    ),
};

/** How every program of ours is bundled: for the oldest Node that runs it, with npm packages left outside. */
export const bundling = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  tsconfig: join(root, 'tsconfig.base.json'),
  logLevel: 'warning',
  loader: { '.md': 'text' },
  plugins: [decoratorMetadata],
};

/** Programs that a library starts from beside the app that it is part of, and the apps that have them do it. */
export const startedByLibraries = {
  'libs/bank-connectors/src/statement-files/statement-files.worker.ts': ['connections', 'standalone', 'fuzz'],
};

/**
 * Specs run from the sources, so for them these programs lie beside the sources. Renamed into place: another run of
 * specs may be using them.
 */
export const bundleBesideSources = () =>
  Promise.all(
    Object.keys(startedByLibraries).map(async (source) => {
      const outfile = join(root, source.replace(/\.ts$/, '.js'));
      const staged = `${outfile}.${process.pid}`;
      await build({ ...bundling, entryPoints: [join(root, source)], outfile: staged });
      renameSync(staged, outfile);
    }),
  );

/** What a source of ours exports, for scripts. The bundle lies in the project while it is read, to find the packages. */
export const importSource = async (path) => {
  const outfile = join(root, 'dist', `source-${randomUUID()}.mjs`);
  await build({ ...bundling, entryPoints: [join(root, path)], outfile });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
};
