/**
 * Bundles apps into dist/apps/<app>/: a file per entry point and one for each part that is loaded when it is needed,
 * npm packages left outside.
 * `node tools/build.mjs [app ...]`, all apps when none is named. An app's entry points are its src/main.ts,
 * whatever src/*.worker.ts stands beside it, and what libraries start from beside it. Files are renamed into place, so that two builds at once, or a build
 * beside a start, never show half a bundle.
 */
import { build } from 'esbuild';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundling, startedByLibraries } from './bundling.mjs';

const root = join(import.meta.dirname, '..');
const wanted = process.argv.slice(2);
const apps = (wanted.length > 0 ? wanted : readdirSync(join(root, 'apps'))).filter((app) =>
  existsSync(join(root, 'apps', app, 'src', 'main.ts')),
);

// As deep as dist/apps, so that the paths in the source maps stay right.
const staging = join(root, 'dist', `.building-${process.pid}`);

const entriesOf = (app) => {
  const source = join(root, 'apps', app, 'src');
  const own = readdirSync(source).filter((file) => file === 'main.ts' || file.endsWith('.worker.ts'));
  const ofLibraries = Object.keys(startedByLibraries).filter((program) => startedByLibraries[program].includes(app));
  const entries = [...own.map((file) => join(source, file)), ...ofLibraries.map((program) => join(root, program))];
  return Object.fromEntries(entries.map((file) => [basename(file, '.ts'), file]));
};

const moveIntoPlace = (app) => {
  const outdir = join(root, 'dist', 'apps', app);
  mkdirSync(outdir, { recursive: true });
  // Entry points last: what they load is there by then.
  const entries = Object.keys(entriesOf(app));
  const isEntry = (file) => Number(entries.includes(basename(file, '.js')));
  const built = readdirSync(join(staging, app)).sort((a, b) => isEntry(a) - isEntry(b));
  for (const file of built) renameSync(join(staging, app, file), join(outdir, file));
  for (const file of readdirSync(outdir)) if (!built.includes(file)) rmSync(join(outdir, file), { recursive: true });
};

await Promise.all(
  apps.map((app) =>
    build({
      ...bundling,
      entryPoints: entriesOf(app),
      outdir: join(staging, app),
      splitting: true,
      sourcemap: true,
    }),
  ),
);
apps.forEach(moveIntoPlace);
rmSync(staging, { recursive: true, force: true });
console.log(`built ${apps.join(', ')}`);
