import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = process.cwd();

export type Program = Readonly<{ path: string; remove(): void }>;

/** A program of a spec's own, to be run as a process. It is made in the project, so that it finds the packages. */
export const programOf = async (entryPoint: string): Promise<Program> => {
  const path = join(root, 'dist', 'testing', `${basename(entryPoint, '.ts')}-${randomUUID()}.mjs`);
  const { build } = await import('esbuild');
  await build({
    entryPoints: [entryPoint],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    tsconfig: join(root, 'tsconfig.base.json'),
    logLevel: 'warning',
  });
  return { path, remove: () => rmSync(path, { force: true }) };
};
