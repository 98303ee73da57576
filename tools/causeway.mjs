#!/usr/bin/env node
/** `npx causeway …` in a checkout: bundles the command line when its sources are newer than the bundle, then runs it. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const bundle = join(root, 'dist', 'apps', 'cli', 'main.js');

const isNewerThan = (time) => (path) => statSync(path).mtimeMs > time;
const sources = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(root, folder, file));

const isStale = () => {
  if (!existsSync(bundle)) return true;
  const newer = isNewerThan(statSync(bundle).mtimeMs);
  return newer(join(root, 'package.json')) || [...sources('apps/cli'), ...sources('libs')].some(newer);
};

if (isStale()) {
  // Standard output belongs to the command; what the build says goes to standard error.
  const build = spawnSync(process.execPath, [join(root, 'tools', 'build.mjs'), 'cli'], { stdio: ['ignore', 2, 2] });
  if (build.status !== 0) process.exit(1);
}
await import(pathToFileURL(bundle).href);
