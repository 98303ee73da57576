import { statementBooked, statementProgress, statementSetAside } from '@causeway/contracts';
import { describeWithPostgres } from '@causeway/testing';
import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Booked } from '../../testing/ledger-under-test.ts';
import { dataOf, eventually, startService, type ServiceUnderTest } from '../../testing/service-under-test.ts';
import { pagesOf, scope, using } from '../../testing/syncs-under-test.ts';

const silenceSeconds = 2;
const statementFile = join(
  import.meta.dirname,
  '../../../../libs/bank-connectors/src/statement-files/fixtures/synth-053-v08-multi.xml',
);

describeWithPostgres('the end of a run', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await startService({ syncSilenceSeconds: silenceSeconds });
  });
  afterAll(() => service.stop());
  afterEach(() => {
    service.answer.of = (run) => ({ changes: run.parts.length, refused: [] });
    service.away.until = undefined;
    expect(service.deadLetters).toEqual([]);
  });
  const { connect, state, idle, sync, syncToEnd, runsOf, eventsOf } = using(() => service);

  const toldOf = (connectionId: string) => service.told.filter((ended) => ended.connectionId === connectionId);
  const fetchedRun = (connectionId: string, of = (run: Booked) => run.parts.length > 0) =>
    eventually(async () => runsOf(connectionId).find((run) => run.fetched !== undefined && of(run))?.fetched);
  const statesOf = (connectionIds: readonly string[]) =>
    Promise.all(connectionIds.map(async (connectionId) => (await state(connectionId))?.syncStatus));

  test('waits for a ledger that is away, however long, and nothing is fetched or sent twice', async () => {
    let back = (): void => undefined;
    service.away.until = new Promise((resolve) => (back = resolve));
    const connectionIds = await Promise.all(Array.from({ length: 20 }, () => connect('sandbox-instant')));
    await sleep(3 * silenceSeconds * 1000);
    await service.restart();
    expect(new Set(await statesOf(connectionIds))).toEqual(new Set(['syncing']));
    back();
    for (const connectionId of connectionIds) {
      expect(await idle(connectionId)).toMatchObject({ status: 'active', errorCode: null });
      await eventually(async () => toldOf(connectionId)[0]);
      expect(toldOf(connectionId)).toHaveLength(1);
      const places = runsOf(connectionId).flatMap(({ parts }) => parts.map(({ page, part }) => `${page} ${part}`));
      // The bus may bring a message again, as the same place of the same run.
      expect(runsOf(connectionId)).toHaveLength(1);
      expect(new Set(places).size).toBeGreaterThan(5);
      const asked = service.asked.filter((path) => path.includes(connectionId) && path.includes('/transactions'));
      expect(new Set(asked).size).toBe(asked.length);
    }
  });

  test('is a failure when a message of it is set aside; booked late, it is told once, and the next one is not disturbed', async () => {
    service.answer.of = undefined;
    const connectionId = await connect('sandbox-instant');
    const { runId, pages } = (await fetchedRun(connectionId)) as { runId: string; pages: number };
    const its = { ...scope, connectionId, runId };
    await service.say(statementSetAside, its);
    expect(await idle(connectionId)).toMatchObject({ status: 'active', errorCode: 'statement_refused' });
    await service.say(statementSetAside, its);
    expect(toldOf(connectionId)).toEqual([]);

    service.answer.of = () => ({ changes: 0, refused: [] });
    expect(await syncToEnd(connectionId)).toMatchObject({ errorCode: null });
    expect(runsOf(connectionId).map((run) => pagesOf(run).length)).toEqual([pages, pages]);

    const booked = { ...its, changes: 7, refused: [], missing: 0, parked: false };
    for (let times = 0; times < 3; times++) await service.say(statementBooked, booked);
    await eventually(async () => toldOf(connectionId)[0]);
    await sleep(300);
    expect(toldOf(connectionId)).toMatchObject([{ runId, changes: 7 }]);
    expect(await state(connectionId)).toMatchObject({ syncStatus: 'idle', errorCode: null });
  });

  test.each([{ organization: 'other' }, { environment: 'live' as const }])(
    'is not what a message says that names %p',
    async (owner) => {
      service.answer.of = undefined;
      const connectionId = await connect('sandbox-instant');
      const { runId } = (await fetchedRun(connectionId)) as { runId: string };
      const its = { ...scope, connectionId, runId };
      const booked = { ...its, changes: 7, refused: [], missing: 0, parked: false };
      await service.say(statementBooked, { ...booked, ...owner });
      await service.say(statementSetAside, { ...its, ...owner });
      expect(await state(connectionId)).toMatchObject({ syncStatus: 'syncing', errorCode: null });
      await service.say(statementBooked, { ...booked, changes: 3 });
      expect(await idle(connectionId)).toMatchObject({ status: 'active', errorCode: null });
      await eventually(async () => toldOf(connectionId)[0]);
      expect(toldOf(connectionId)).toMatchObject([{ ...scope, runId, changes: 3 }]);
    },
  );

  test('is not what is said of it about another connection', async () => {
    service.answer.of = undefined;
    const [connectionId, other] = [await connect('sandbox-instant'), await connect('sandbox-instant', 'other')];
    const { runId } = (await fetchedRun(connectionId)) as { runId: string };
    const its = { ...scope, organization: 'other', connectionId: other, runId };
    await service.say(statementProgress, { ...its, bytes: 1_000_000 });
    await service.say(statementBooked, { ...its, changes: 7, refused: [], missing: 1, parked: false });
    await service.say(statementSetAside, its);
    const { rows } = await service.database.pool.query(
      `SELECT set_aside, booked_bytes = 1000000 AS progressed, (SELECT count(*) > 0 FROM connections.kept_page k
         WHERE k.run_id = r.run_id) AS kept FROM connections.sync_run r WHERE run_id = $1`,
      [runId],
    );
    expect(rows).toEqual([{ set_aside: false, progressed: false, kept: true }]);
    expect(await state(connectionId)).toMatchObject({ syncStatus: 'syncing', errorCode: null });
  });

  test('is a failure when the ledger’s answer is set aside; its retry is told late', async () => {
    service.answer.of = undefined;
    const connectionId = await connect('sandbox-instant');
    const { runId } = (await fetchedRun(connectionId)) as { runId: string };
    const booked = { ...scope, connectionId, runId, changes: 7, refused: [], missing: 0, parked: false };
    await service.say(statementBooked, { ...booked, refused: null as never });
    expect(await idle(connectionId)).toMatchObject({ status: 'active', errorCode: 'statement_refused' });
    expect(service.deadLetters.splice(0)).toMatchObject([{ group: 'connections' }]);
    await service.say(statementBooked, booked);
    await eventually(async () => toldOf(connectionId)[0]);
    expect(toldOf(connectionId)).toMatchObject([{ runId, changes: 7 }]);
  });

  test.each([{ runId: 'no run' }, { connectionId: 'no connection' }])(
    'is not held up by an answer that names %j, which is set aside and tells nobody',
    async (wrong) => {
      service.answer.of = undefined;
      const connectionId = await connect('sandbox-instant');
      const { runId } = (await fetchedRun(connectionId)) as { runId: string };
      const booked = { ...scope, connectionId, runId, changes: 7, refused: [], missing: 0, parked: false };
      await service.say(statementBooked, { ...booked, ...wrong });
      await service.say(statementBooked, booked);
      expect(await idle(connectionId)).toMatchObject({ status: 'active', errorCode: null });
      expect(service.deadLetters.splice(0)).toMatchObject([{ group: 'connections', attempts: 1 }]);
    },
  );

  test('is a failure also when it is the word of a message set aside that is set aside', async () => {
    service.answer.of = undefined;
    const connectionId = await connect('sandbox-instant');
    const { runId } = (await fetchedRun(connectionId)) as { runId: string };
    const rename = (from: string, to: string) =>
      service.database.pool.query(`ALTER TABLE connections.${from} RENAME TO ${to}`);
    await rename('sync_run', 'hidden');
    const said = service.say(statementSetAside, { ...scope, connectionId, runId });
    await eventually(async () => service.deadLetters[0]);
    await rename('hidden', 'sync_run');
    await said;
    expect(await idle(connectionId)).toMatchObject({ status: 'active', errorCode: 'statement_refused' });
    expect(service.deadLetters.splice(0)).toMatchObject([{ group: 'connections' }]);
  });

  test('is a failure, told with its changes, when an event of the connection is parked', async () => {
    service.answer.of = () => ({ changes: 2, refused: [], parked: true });
    const connectionId = await connect('sandbox-instant');
    expect(await idle(connectionId)).toMatchObject({ status: 'active', errorCode: 'parked' });
    await eventually(async () => toldOf(connectionId)[0]);
    service.answer.of = () => ({ changes: 0, refused: [] });
    expect(await syncToEnd(connectionId)).toMatchObject({ errorCode: null });
    expect(runsOf(connectionId)).toHaveLength(1);
  });

  test('gives back what the bank lent for it, whichever process hears of it', async () => {
    const connectionId = await connect('sandbox-files');
    await idle(connectionId);
    service.answer.of = undefined;
    const folder = join(service.config.fileDropDir, connectionId);
    copyFileSync(statementFile, join(folder, 'inbox', 'statement'));
    dataOf(await sync(connectionId));
    const fetched = await fetchedRun(connectionId);
    await service.restart();
    expect(existsSync(join(folder, 'inbox', 'statement'))).toBe(true);
    const booked = { ...scope, connectionId, runId: fetched?.runId ?? '', changes: 1, refused: [], missing: 0 };
    await service.say(statementBooked, { ...booked, parked: false });
    await idle(connectionId);
    expect(existsSync(join(folder, 'processed', 'statement'))).toBe(true);

    copyFileSync(statementFile, join(folder, 'inbox', 'again'));
    await syncToEnd(connectionId);
    expect(existsSync(join(folder, 'processed', 'again'))).toBe(true);
  });

  test('comes also when what the bank lent cannot be given back', async () => {
    const connectionId = await connect('sandbox-files');
    await idle(connectionId);
    service.answer.of = undefined;
    const folder = join(service.config.fileDropDir, connectionId);
    copyFileSync(statementFile, join(folder, 'inbox', 'statement'));
    dataOf(await sync(connectionId));
    const fetched = await fetchedRun(connectionId);
    renameSync(folder, `${folder} away`);
    const booked = { ...scope, connectionId, runId: fetched?.runId ?? '', changes: 1, refused: [], missing: 0 };
    await service.say(statementBooked, { ...booked, parked: false });
    expect(await idle(connectionId)).toMatchObject({ errorCode: null });
    renameSync(`${folder} away`, folder);
    await syncToEnd(connectionId);
    expect(existsSync(join(folder, 'processed', 'statement'))).toBe(true);
    expect(runsOf(connectionId)).toHaveLength(1);
  });

  test('leaves no note of the run', async () => {
    const connectionId = await connect('sandbox-instant');
    await idle(connectionId);
    await eventually(async () => {
      const { rows } = await service.database.pool.query(
        'SELECT 1 FROM connections.sync_run WHERE connection_id = $1',
        [connectionId],
      );
      return rows.length === 0 || undefined;
    });
    expect((await eventsOf(connectionId)).map(({ type }) => type)).toContain('SyncCompleted');
  });
});
