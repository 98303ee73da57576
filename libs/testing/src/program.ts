import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildOptions } from 'esbuild';

const root = process.cwd();

export type Program = Readonly<{ path: string; remove(): void }>;

/** A program of a spec's own, to be run as a process. It is made in the project, so that it finds the packages. */
export const programOf = async (entryPoint: string): Promise<Program> => {
  const path = join(root, 'dist', 'testing', `${basename(entryPoint, '.ts')}-${randomUUID()}.mjs`);
  const { bundling } = (await import(pathToFileURL(join(root, 'tools', 'bundling.mjs')).href)) as {
    bundling: BuildOptions;
  };
  const { build } = await import('esbuild');
  await build({ ...bundling, entryPoints: [entryPoint], outfile: path });
  return { path, remove: () => rmSync(path, { force: true }) };
};
