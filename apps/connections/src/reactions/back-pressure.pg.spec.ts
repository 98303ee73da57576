import { statementProgress, statementSetAside } from '@causeway/contracts';
import { describeWithPostgres } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Booked } from '../../testing/ledger-under-test.ts';
import { eventually, startService, type ServiceUnderTest } from '../../testing/service-under-test.ts';
import { pagesOf, scope, using } from '../../testing/syncs-under-test.ts';

const silenceSeconds = 2;
const unbookedBytesMax = 64 * 1024;

describeWithPostgres('a run whose ledger does not keep up', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    const bankEnv = { CAUSEWAY_SANDBOX_LARGE_ROWS: '20000' };
    service = await startService({ syncSilenceSeconds: silenceSeconds, unbookedBytesMax, bankEnv });
  });
  beforeEach(() => {
    service.answer.of = undefined;
  });
  afterAll(() => service.stop());
  const { connect, state, idle, runsOf } = using(() => service);

  const sentOf = (connectionId: string): number => runsOf(connectionId)[0]?.bytes ?? 0;
  const standing = (connectionId: string): Promise<number> =>
    eventually(async () => {
      const before = sentOf(connectionId);
      await sleep(500);
      return before > unbookedBytesMax && sentOf(connectionId) === before ? before : undefined;
    });

  test('waits for it, however long, and goes on as it books; a restart changes nothing', async () => {
    const connectionId = await connect('sandbox-large');
    const sent = await standing(connectionId);
    await sleep(2 * silenceSeconds * 1000);
    await service.restart();
    await sleep(1000);
    expect([sentOf(connectionId), (await state(connectionId))?.syncStatus]).toEqual([sent, 'syncing']);
    const [run] = runsOf(connectionId) as [Booked];
    const largest = Math.max(...run.parts.map(({ parts }) => parts)) * (sent / run.parts.length);
    expect(sent).toBeLessThan(unbookedBytesMax + 2 * largest);

    const runId = run.parts[0]?.runId ?? '';
    await service.say(statementProgress, { ...scope, connectionId, runId, bytes: sent });
    await eventually(async () => sentOf(connectionId) > sent || undefined);
    service.answer.of = ({ parts }) => ({ changes: parts.length, refused: [] });
    await service.say(statementProgress, { ...scope, connectionId, runId, bytes: await standing(connectionId) });
    expect(await idle(connectionId)).toMatchObject({ errorCode: null });
    expect(pagesOf(run)).toHaveLength(run.fetched?.pages ?? 0);
  });

  test('fetches no more once a message of it is set aside, and what came before is booked', async () => {
    const connectionId = await connect('sandbox-large');
    const sent = await standing(connectionId);
    const [run] = runsOf(connectionId) as [Booked];
    service.answer.of = () => ({ changes: 5, refused: [], missing: 1 });
    const its = { ...scope, connectionId, runId: run.parts[0]?.runId ?? '' };
    await service.say(statementSetAside, its);
    expect(await idle(connectionId)).toMatchObject({ errorCode: 'statement_refused' });
    await eventually(async () => service.told.find((told) => told.connectionId === connectionId && told.changes === 5));
    expect(pagesOf(run)).toHaveLength(run.fetched?.pages ?? 0);
    expect(run.bytes).toBe(sent);
  });
});
