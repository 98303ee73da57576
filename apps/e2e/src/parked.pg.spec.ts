import { openPool, type Pool } from '@causeway/postgres';
import { describeWithPostgres, discardSystem, startSystem, systemProcesses, type System } from '@causeway/testing';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clientOf, connected, happen, linesOf, synced, truthOf, until, type Client, type Json, type Row } from './client.ts'; // prettier-ignore

const run = promisify(execFile);
const isDistributed = systemProcesses.includes('gateway');
const causeway = join(import.meta.dirname, '../../../tools/causeway.mjs');

type Feed = { events: { type: string; transaction: Row }[]; nextCursor: string; hasMore: boolean };
type Status = { name: string; state: string; parked: { stream: string; reason: string }[] };
type Letter = { id: string; source: string; attempts: number };

describeWithPostgres('an account of one connection with an event that no table takes', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  let system: System;
  let client: Client;
  let pool: Pool;

  beforeAll(async () => {
    const env = { CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0', CAUSEWAY_REQUESTS_PER_SECOND: '0' };
    system = await startSystem({ dataDir, env });
    client = clientOf(system);
    const { databaseUrl } = JSON.parse(readFileSync(join(dataDir, 'runtime.json'), 'utf8')) as { databaseUrl: string };
    pool = openPool({ url: databaseUrl, applicationName: 'e2e', connectionsMax: 1 });
  });
  afterAll(async () => {
    await pool.end();
    await system.stop();
    discardSystem(dataDir);
  });

  const cli = async (...args: readonly string[]): Promise<unknown> => {
    const env = { ...process.env, CAUSEWAY_DATA_DIR: dataDir };
    const { stdout } = await run(process.execPath, [causeway, ...args, '--json'], { env });
    return JSON.parse(stdout);
  };
  const parked = async () =>
    ((await cli('projections', 'list')) as Status[]).find(({ name }) => name === 'transactions')?.parked ?? [];
  const readiness = async () => (await fetch(`${system.baseUrl}/readyz`)).json() as Promise<Json>;

  test('others go on, its own sync says so, and once mended a client that polled throughout holds it all', async () => {
    const well = await connected(client, 'sandbox-instant');
    const { body } = await client.send('POST', '/v1/entities', { externalEntityId: 'other' });
    const sick = await connected(client, 'sandbox-instant', String(body['entityId']));
    const replica = new Map((await client.all('/v1/transactions?limit=500')).map((row) => [row.id, row]));
    let cursor = String((await client.get('/v1/transactions/sync')).body['nextCursor']);
    const drain = async (): Promise<void> => {
      for (let more = true; more;) {
        const page = (await client.get(`/v1/transactions/sync?limit=500&cursor=${encodeURIComponent(cursor)}`))
          .body as unknown as Feed;
        for (const { type, transaction } of page.events) {
          if (type === 'removed') replica.delete(transaction.id);
          else replica.set(transaction.id, transaction);
        }
        [cursor, more] = [page.nextCursor, page.hasMore];
      }
    };
    const holdsTheTruthOf = async (id: string): Promise<void> => {
      await drain();
      const ours = [...replica.values()].filter((row) => row['connectionId'] === id && row['status'] !== 'cancelled');
      expect(linesOf(ours)).toEqual(linesOf((await truthOf(system, id)).transactions));
    };

    const refused = `CHECK (connection_id <> '${sick}' OR updated_at < now() - interval '1 second')`;
    // Rows from before the constraint are older than its second by then, and may be changed.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await pool.query(`ALTER TABLE ledger.transactions_v1_g1 ADD CONSTRAINT refused ${refused} NOT VALID`);
    await happen(system, sick, 'new-transactions', { count: 3 });
    expect((await client.send('PUT', `/v1/connections/${sick}/sync`)).status).toBe(202);
    await until('the sync ends', async () => {
      const { body: connection } = await client.get(`/v1/connections/${sick}`);
      return connection['syncStatus'] === 'idle' && connection['errorCode'] === 'parked';
    });
    await happen(system, well, 'new-transactions', { count: 4 });
    await synced(client, well);
    await holdsTheTruthOf(well);

    expect(await parked()).toEqual([expect.objectContaining({ reason: expect.stringContaining('23514') as string })]);
    const health = await readiness();
    expect(health['ready']).toBe(true);
    // The gateway tells of the read models of its own process; each of five tells of its own.
    if (!isDistributed) expect(JSON.stringify(health)).toContain('"degraded":true');
    const [letter] = (await cli('dead-letters', 'list')) as [Letter];
    expect(letter).toMatchObject({ source: 'projection transactions', attempts: 1 });
    await expect(cli('dead-letters', 'drop', letter.id)).rejects.toThrow('cannot be dropped');

    await pool.query('ALTER TABLE ledger.transactions_v1_g1 DROP CONSTRAINT refused');
    expect(await cli('dead-letters', 'retry', letter.id)).toEqual({ id: letter.id, outcome: 'retried' });
    await until('it is mended', async () => (await parked()).length === 0);
    await holdsTheTruthOf(sick);
    await synced(client, sick);
    await holdsTheTruthOf(sick);
    expect(await cli('projections', 'verify', 'transactions')).toMatchObject({ outcome: 'equal' });
    expect(JSON.stringify(await readiness())).not.toContain('"degraded":true');
  });
});
