import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');

const sourcesOf = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => join(root, folder, file));

/** Bundles these apps when a source is newer than one of their bundles. What the build says goes to standard error. */
export const buildIfStale = (...apps) => {
  const bundles = apps.map((app) => join(root, 'dist', 'apps', app, 'main.js'));
  const built = bundles.every(existsSync) ? Math.min(...bundles.map((bundle) => statSync(bundle).mtimeMs)) : 0;
  const docs = readdirSync(join(root, 'docs')).map((file) => `docs/${file}`);
  const inputs = ['package.json', 'tools/build.mjs', 'tools/bundling.mjs', ...docs].map((file) => join(root, file));
  // A file may go between the listing and the look at it: an editor's, or one that a spec plants for a while.
  const isNewer = (path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > built;
  if (built > 0 && ![...inputs, ...sourcesOf('apps'), ...sourcesOf('libs')].some(isNewer)) return;
  const build = spawnSync(process.execPath, [join(root, 'tools', 'build.mjs'), ...apps], { stdio: ['ignore', 2, 2] });
  if (build.status !== 0) process.exit(1);
};

const onSignal = (signal) => {
  if (process.listenerCount(signal) === 1) process.exit(0);
};

/**
 * Until the app listens too, there is nothing to stop. To be called first. The listener stays: with the last one of a
 * signal, what came while the app was being loaded would go unheard.
 */
export const endOnSignal = () => ['SIGTERM', 'SIGINT'].forEach((signal) => process.on(signal, onSignal));

/** Runs a bundled app in this process, so that a signal sent to it arrives. */
export const run = (app) => import(pathToFileURL(join(root, 'dist', 'apps', app, 'main.js')).href);
