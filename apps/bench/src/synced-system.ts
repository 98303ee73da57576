import { openPool, type Pool } from '@causeway/postgres';
import { discardSystem, startSystem, type System } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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

/** A connection of an entity of its own: an organization has one of each institution for each. */
export const newConnection = async (system: System, institutionId: string): Promise<string> => {
  const { entityId } = await request(system, 'POST', '/v1/entities', { externalEntityId: randomUUID() });
  return (await request(system, 'POST', '/v1/connections', { institutionId, entityId }))['id'] as string;
};

/** Waits until the connection has ended a sync that began after `after`. */
export const untilSynced = async (system: System, id: string, after: string | undefined): Promise<void> => {
  for (const deadline = Date.now() + syncTimeoutMs; Date.now() < deadline; await sleep(20)) {
    const { syncStatus, lastSyncedAt } = await request(system, 'GET', `/v1/connections/${id}`);
    if (syncStatus === 'idle' && lastSyncedAt !== undefined && lastSyncedAt !== after) return;
  }
  throw new Error(`the sync of ${id} did not end`);
};

/** The bank has so many new rows, which the next sync finds. */
export const newRows = async ({ sandboxBankUrl }: System, id: string, count: number): Promise<void> => {
  const url = `${sandboxBankUrl}/control/connections/${id}/scenarios/new-transactions`;
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ count }) });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`new-transactions: ${answer.status}`);
};

/** `folder`: where the server may write files too. It is removed with the database. */
export type Bench = Readonly<{ system: System; pool: Pool; url: string; folder: string; dataDir: string }>;

/** What the running system was started with, as its data directory keeps it. */
export const runtimeOf = (dataDir: string) =>
  JSON.parse(readFileSync(join(dataDir, 'runtime.json'), 'utf8')) as Readonly<{ databaseUrl: string }>;

type Started = Readonly<{ rows: number; distributed?: boolean; env?: Readonly<Record<string, string>> }>;

/** Runs the whole system as `npm start` does, PostgreSQL and all, unless `env` says where that is. */
export const onOwnSystem = async <T>(options: Started, work: (bench: Bench) => Promise<T>): Promise<T> => {
  const { rows, distributed = false, env = {} } = options;
  const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
  const dataDir = join(folder, 'var');
  const settings = {
    CAUSEWAY_SANDBOX_LARGE_ROWS: String(rows),
    CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0',
    CAUSEWAY_REQUESTS_PER_SECOND: '0',
    CAUSEWAY_MAX_ENTITIES: '0',
    CAUSEWAY_MAX_OPEN_TRANSFERS: '0',
    ...env,
  };
  const system = await startSystem({ dataDir, env: settings, distributed });
  const url = runtimeOf(dataDir).databaseUrl;
  const pool = openPool({ url, applicationName: 'bench', connectionsMax: 3, statementMaxMs: 3_600_000 });
  try {
    return await work({ system, pool, url, folder, dataDir });
  } finally {
    await pool.end();
    await system.stop();
    discardSystem(dataDir);
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * Runs the whole system on a database of its own, with a large account of so many rows at the bank: in one process, or in
 * five over a Kafka broker of their own.
 */
export const onSystem = async <T>(
  options: Started & Readonly<{ serverUrl: string; name: string }>,
  work: (bench: Bench) => Promise<T>,
): Promise<T> => {
  const { serverUrl, name, env, ...rest } = options;
  const admin = openPool({ url: serverUrl, applicationName: 'bench', connectionsMax: 1, statementMaxMs: 3_600_000 });
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  try {
    return await onOwnSystem({ ...rest, env: { ...env, CAUSEWAY_DATABASE_URL: url.href } }, work);
  } finally {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  }
};
