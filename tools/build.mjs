/**
 * Bundles apps into dist/apps/<app>/: one file per entry point, npm packages left outside.
 * `node tools/build.mjs [app ...]`, all apps when none is named. An app's entry points are its src/main.ts and
 * whatever src/*.worker.ts stands beside it.
 */
import { build } from 'esbuild';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const wanted = process.argv.slice(2);
const apps = (wanted.length > 0 ? wanted : readdirSync(join(root, 'apps'))).filter((app) =>
  existsSync(join(root, 'apps', app, 'src', 'main.ts')),
);

await Promise.all(
  apps.map((app) => {
    const source = join(root, 'apps', app, 'src');
    const entries = readdirSync(source).filter((file) => file === 'main.ts' || file.endsWith('.worker.ts'));
    const outdir = join(root, 'dist', 'apps', app);
    rmSync(outdir, { recursive: true, force: true });
    return build({
      entryPoints: entries.map((file) => join(source, file)),
      outdir,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      alias: {},
      tsconfig: join(root, 'tsconfig.base.json'),
      sourcemap: true,
      logLevel: 'warning',
    });
  }),
);
console.log(`built ${apps.join(', ')}`);
