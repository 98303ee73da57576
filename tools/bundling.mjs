import { build } from 'esbuild';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');

/** How every program of ours is bundled: for the oldest Node that runs it, with npm packages left outside. */
export const bundling = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  tsconfig: join(root, 'tsconfig.base.json'),
  logLevel: 'warning',
};

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
