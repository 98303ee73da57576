import { openPool, type Pool } from '@causeway/postgres';
import { discardSystem, startSystem, type System } from '@causeway/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const syncTimeoutMs = 30 * 60_000;

export const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
};

export const request = async (
  system: System,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> => {
  const answer = await fetch(`${system.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${system.testKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
};

/** Waits until the connection has ended a sync that began after `after`. */
export const untilSynced = async (system: System, id: string, after: string | undefined): Promise<void> => {
  for (const deadline = Date.now() + syncTimeoutMs; Date.now() < deadline; await sleep(20)) {
    const { syncStatus, lastSyncedAt } = await request(system, 'GET', `/v1/connections/${id}`);
    if (syncStatus === 'idle' && lastSyncedAt !== undefined && lastSyncedAt !== after) return;
  }
  throw new Error(`the sync of ${id} did not end`);
};

/** `folder`: where the server may write files too. It is removed with the database. */
export type Bench = Readonly<{ system: System; pool: Pool; url: string; folder: string; dataDir: string }>;

/**
 * Runs the whole system on a database of its own, with a large account of so many rows at the bank: in one process, or in
 * five over a Kafka broker of their own.
 */
export const onSystem = async <T>(
  options: Readonly<{ rows: number; serverUrl: string; name: string; distributed?: boolean }>,
  work: (bench: Bench) => Promise<T>,
): Promise<T> => {
  const { rows, serverUrl, name, distributed = false } = options;
  const admin = openPool({ url: serverUrl, applicationName: 'bench', connectionsMax: 1 });
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
  const dataDir = join(folder, 'var');
  const env = {
    CAUSEWAY_DATABASE_URL: url.href,
    CAUSEWAY_SANDBOX_LARGE_ROWS: String(rows),
    CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0',
    CAUSEWAY_REQUESTS_PER_SECOND: '0',
  };
  const system = await startSystem({ dataDir, env, distributed });
  const pool = openPool({ url: url.href, applicationName: 'bench', connectionsMax: 3 });
  try {
    return await work({ system, pool, url: url.href, folder, dataDir });
  } finally {
    await pool.end();
    await system.stop();
    discardSystem(dataDir);
    rmSync(folder, { recursive: true, force: true });
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  }
};
