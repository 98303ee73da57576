/** Starts one PostgreSQL server for a test run, in a folder of its own, and stops it at the end. */
import { build } from 'esbuild';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

const nothingToStop = async () => undefined;

/** Answers with what stops it. */
export const startPostgres = async () => {
  if (process.env.CAUSEWAY_TEST_DATABASE_URL !== undefined) return nothingToStop;
  const outfile = join(root, 'dist', 'testing', `cluster-${process.pid}.mjs`);
  const entry = join(root, 'libs', 'postgres', 'src', 'cluster.ts');
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' });
  const { startCluster } = await import(outfile);
  rmSync(outfile);
  const dataDir = mkdtempSync(join(tmpdir(), 'causeway-test-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const cluster = await startCluster({ dataDir, settings: { fsync: 'off' } });
    process.env.CAUSEWAY_TEST_DATABASE_URL = cluster.url;
    return () => cluster.stop().finally(remove);
  } catch (error) {
    remove();
    if (process.env.CI !== undefined) throw error;
    console.warn(`No PostgreSQL could be started, the .pg.spec.ts files are skipped: ${error.message}`);
    return nothingToStop;
  }
};
