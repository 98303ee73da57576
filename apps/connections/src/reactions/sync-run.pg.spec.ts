import { deleteConnection, keyUsability, statementBooked } from '@causeway/contracts';
import type { Portal } from '@causeway/domain/connections';
import { ownContext } from '@causeway/service';
import { describeWithPostgres } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionName, namesIn } from '../commands/names.ts';
import type { Booked } from '../../testing/ledger-under-test.ts';
import {
  dataOf,
  elsewhere,
  eventually,
  startService,
  type ServiceUnderTest,
} from '../../testing/service-under-test.ts';
import { pagesOf, runStreams, scope, using } from '../../testing/syncs-under-test.ts';

/** Rows of sandbox-large: some 250 a day, so a page holds two days. */
const largeRows = '6000';
describeWithPostgres('a sync run', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await startService({ bankEnv: { CAUSEWAY_SANDBOX_LARGE_ROWS: largeRows } });
  });
  afterAll(() => service.stop());
  afterEach(() => {
    service.answer.of = (run) => ({ changes: run.parts.length, refused: [] });
    expect(service.deadLetters).toEqual([]);
  });
  const { sql, connect, state, idle, sync, syncToEnd, runsOf, eventsOf, scenario, passTime } = using(() => service);

  test('begins by itself with an active connection, and is over when the ledger has answered', async () => {
    const connectionId = await connect('sandbox-instant');
    expect(await idle(connectionId)).toMatchObject({ status: 'active', errorCode: null });
    const [run] = runsOf(connectionId) as [Booked];
    expect(pagesOf(run).length).toBeGreaterThan(5);
    expect(run.fetched?.accountIds).toHaveLength(5);
    const accounts = await sql<{ currency: string; account_number: string; masked_number: string }>(
      'SELECT currency, account_number, masked_number FROM read_models.accounts_v1 WHERE connection_id = $1',
      [connectionId],
    );
    expect(accounts.map(({ currency }) => currency).sort()).toEqual(['EUR', 'USD', 'USD', 'USD', 'USD']);
    for (const { account_number: number, masked_number: masked } of accounts) {
      expect(masked).toBe(`••••${number.slice(-4)}`);
    }
  });

  test('of an unchanged history costs two events, and the ledger hears nothing of it', async () => {
    const connectionId = await connect('sandbox-instant');
    await idle(connectionId);
    const before = (await eventsOf(connectionId)).length;
    await syncToEnd(connectionId);
    const added = (await eventsOf(connectionId)).slice(before);
    expect(added.map(({ type }) => type)).toEqual(['SyncRequested', 'SyncCompleted']);
    expect(runsOf(connectionId)).toHaveLength(1);
  });

  test('of an unchanged history has ended when the bank has answered, not when it was asked', async () => {
    const connectionId = await connect('sandbox-slow');
    await idle(connectionId);
    const began = Date.now();
    const { lastSyncedAt } = await syncToEnd(connectionId);
    expect(Date.parse(lastSyncedAt ?? '') - began).toBeGreaterThan(2000);
  });

  test('sends on the pages that changed, and no others', async () => {
    const connectionId = await connect('sandbox-large');
    await idle(connectionId);
    await scenario(connectionId, 'restate-balance');
    await syncToEnd(connectionId);
    expect(runsOf(connectionId).map((run) => pagesOf(run).length)).toEqual([expect.any(Number), 1]);
  });

  test('runs one at a time: of 20 callers at once, one begins it', async () => {
    const connectionId = await connect('sandbox-instant');
    await idle(connectionId);
    await scenario(connectionId, 'new-transactions');
    let back = (): void => undefined;
    service.away.until = new Promise((resolve) => (back = resolve));
    const replies = await Promise.all(Array.from({ length: 20 }, () => sync(connectionId)));
    back();
    expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
    expect(new Set(replies.flatMap((reply) => (reply.ok ? [] : [reply.problem.status])))).toEqual(new Set([409]));
    await idle(connectionId);
    const begun = (await eventsOf(connectionId)).filter(({ type }) => type === 'SyncRequested');
    expect(begun).toHaveLength(2);
  });

  test('that cannot reach the bank fails; five in a row make the connection errored, a success active again', async () => {
    const connectionId = await connect('sandbox-instant');
    await idle(connectionId);
    await scenario(connectionId, 'down', { seconds: 600 });
    for (let failures = 1; failures <= 5; failures++) {
      const status = failures < 5 ? 'active' : 'errored';
      expect(await syncToEnd(connectionId)).toMatchObject({ status, errorCode: 'unavailable' });
    }
    await passTime(601);
    expect(await syncToEnd(connectionId)).toMatchObject({ status: 'active', errorCode: null, errorMessage: null });
  });

  test('that the bank breaks off fails, and what came before is booked', async () => {
    const connectionId = await connect('sandbox-slow');
    await eventually(async () => runsOf(connectionId)[0]?.parts[0]);
    await scenario(connectionId, 'down', { seconds: 600 });
    expect(await idle(connectionId)).toMatchObject({ status: 'active', errorCode: 'unavailable', lastSyncedAt: null });
    const before = pagesOf(runsOf(connectionId)[0] as Booked).length;
    await passTime(601);
    expect(await syncToEnd(connectionId)).toMatchObject({ errorCode: null, lastSyncedAt: expect.any(String) });
    const [, second] = runsOf(connectionId) as [Booked, Booked];
    const { rows } = await service.database.pool.query<{ pages: number }>(
      'SELECT count(*) AS pages FROM connections.kept_page WHERE connection_id = $1',
      [connectionId],
    );
    expect(before + pagesOf(second).length).toBe(rows[0]?.pages);
  });

  test('in which the ledger refused a page fails, and the page is sent on again', async () => {
    const connectionId = await connect('sandbox-large');
    await idle(connectionId);
    await scenario(connectionId, 'restate-balance');
    service.answer.of = ({ parts }) => ({
      changes: 0,
      refused: parts.map(({ accountId, page }) => ({ accountId, page, reason: 'a row without an amount' })),
    });
    expect(await syncToEnd(connectionId)).toMatchObject({ errorCode: 'statement_refused' });
    service.answer.of = () => ({ changes: 1, refused: [] });
    expect(await syncToEnd(connectionId)).toMatchObject({ errorCode: null });
    expect(runsOf(connectionId).map((run) => pagesOf(run).length)).toEqual([expect.any(Number), 1, 1]);
  });

  test('of which the ledger missed a page fails, and all of the run is sent on again', async () => {
    const connectionId = await connect('sandbox-large');
    await idle(connectionId);
    await scenario(connectionId, 'restate-balance');
    service.answer.of = ({ fetched }) => ({ changes: 0, refused: [], missing: fetched?.pages ?? 0 });
    expect(await syncToEnd(connectionId)).toMatchObject({ errorCode: 'statement_refused' });
    service.answer.of = () => ({ changes: 1, refused: [] });
    expect(await syncToEnd(connectionId)).toMatchObject({ errorCode: null });
    expect(runsOf(connectionId).map((run) => [pagesOf(run).length, run.fetched?.pages])).toEqual([
      [expect.any(Number), expect.any(Number)],
      [1, 1],
      [1, 1],
    ]);
  });

  test('goes on after a restart where it was, and sends nothing twice', async () => {
    const connectionId = await connect('sandbox-large');
    await eventually(async () => (runsOf(connectionId)[0]?.parts.length ?? 0) > 2 || undefined);
    await service.restart();
    await idle(connectionId);
    const kept = await sql<{ pages: number }>(
      'SELECT count(DISTINCT page) AS pages FROM connections.kept_page WHERE connection_id = $1',
      [connectionId],
    );
    const runs = runsOf(connectionId);
    expect(runs).toHaveLength(1);
    expect(pagesOf(runs[0] as Booked)).toHaveLength(kept[0]?.pages ?? 0);
  });

  test('whose end was being waited for still ends after a restart', async () => {
    service.answer.of = undefined;
    const connectionId = await connect('sandbox-instant');
    const { runId } = await eventually(async () => runsOf(connectionId)[0]?.fetched);
    await service.restart();
    expect(await state(connectionId)).toMatchObject({ syncStatus: 'syncing' });
    const booked = { ...scope, connectionId, runId, changes: 1, refused: [], missing: 0, parked: false };
    await service.say(statementBooked, booked);
    expect(await idle(connectionId)).toMatchObject({ status: 'active', errorCode: null });
  });

  test('stops when its connection is deleted, whose streams and notes then go', async () => {
    const connectionId = await connect('sandbox-slow');
    await sleep(300);
    dataOf(await service.request(deleteConnection, { ...scope, connectionId }));
    await eventually(async () => {
      const { rows } = await service.database.pool.query(
        `SELECT 1 FROM connections_events.append WHERE stream = $1 AND payload::text LIKE $2`,
        [`connection-${connectionId}`, `%${Buffer.from('ConnectionErased').toString('hex')}%`],
      );
      return rows.length > 0 || undefined;
    });
    const streams = await sql('SELECT stream FROM connections_events.append WHERE data_key = $1', [connectionId]);
    const notes = await sql('SELECT 1 FROM connections.kept_page WHERE connection_id = $1', [connectionId]);
    const runs = await sql('SELECT 1 FROM connections.sync_run WHERE connection_id = $1', [connectionId]);
    expect([streams, notes, runs]).toEqual([[], [], []]);
    await sleep(500);
    expect(await sql('SELECT 1 FROM read_models.accounts_v1 WHERE connection_id = $1', [connectionId])).toEqual([]);
  });

  test('that brought nothing leaves nothing when its connection is erased, whose name is free by then', async () => {
    const connectionId = await connect('sandbox-instant');
    await idle(connectionId);
    for (let run = 0; run < 3; run++) await syncToEnd(connectionId);
    const count = 'SELECT sum(event_count) n FROM connections_events.append WHERE data_key = $1 OR stream = ANY ($2)';
    const [held] = await sql<{ n: number }>(count, [connectionId, runStreams(await eventsOf(connectionId))]);
    dataOf(await service.request(deleteConnection, { ...scope, connectionId }));
    const end = await eventually(async () => (await eventsOf(connectionId)).find((e) => e.type === 'ConnectionErased'));
    expect(end.data).toMatchObject({ accountIds: { length: 5 }, events: held?.n });
    const events = await eventsOf(connectionId);
    const runs = runStreams(events);
    const erased = await sql<{ stream: string }>(
      'SELECT stream FROM connections_events.erased_stream WHERE stream = ANY ($1)',
      [runs],
    );
    expect(erased.map(({ stream }) => stream).sort()).toEqual([runs[0], runs.at(-1)].sort());

    const opened = events.find(({ type }) => type === 'ConnectionOpened')?.data as Portal & { entityId: string };
    const { store, aggregates } = elsewhere(service);
    const names = namesIn(aggregates, service.config.reservationSecret);
    const [name, next] = [connectionName(scope, opened.entityId, opened), randomUUID()];
    expect(await names.claim(name, next, new Date().toISOString(), ownContext(scope))).toBe(next);
    await store.close();
  });
});

describeWithPostgres('the schedule', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await startService({ env: { CAUSEWAY_SYNC_INTERVAL_SECONDS: '1' } });
  });
  afterAll(() => service.stop());
  const { connect, eventsOf } = using(() => service);
  const scheduled = async (connectionId: string): Promise<number> => {
    const events = await eventsOf(connectionId);
    return events.filter(({ type, data }) => type === 'SyncRequested' && data.trigger === 'schedule').length;
  };
  let position = 0;
  const keysUsableUntil = (usableUntil: string | null) =>
    service.say(keyUsability, { ...scope, usableUntil, position: ++position });

  test('begins runs by itself, one after the other', async () => {
    const connectionId = await connect('sandbox-instant');
    await eventually(async () => (await scheduled(connectionId)) >= 3 || undefined);
  });

  test('passes over an organization that nobody can read for, until somebody can', async () => {
    const connectionId = await connect('sandbox-instant');
    for (const ended of [null, new Date(Date.now() - 1000).toISOString()]) {
      await keysUsableUntil(ended);
      await sleep(300);
      const before = await scheduled(connectionId);
      await sleep(2500);
      expect(await scheduled(connectionId)).toBe(before);
    }
    await keysUsableUntil(new Date(Date.now() + 3_600_000).toISOString());
    await service.say(keyUsability, { ...scope, usableUntil: null, position: 1 });
    const before = await scheduled(connectionId);
    await eventually(async () => (await scheduled(connectionId)) > before || undefined);
  });
});
