import { deleteConnection } from '@causeway/contracts';
import { describeWithPostgres } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataOf, eventually, startService, type ServiceUnderTest } from '../../testing/service-under-test.ts';
import { scope, using } from '../../testing/syncs-under-test.ts';

/** Of 16 slots: what one organization, and one institution, may have in hand in a process. */
const share = 12;
const many = 40;

describeWithPostgres('syncs that are due together', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  const { connect, idle, sync, scenario } = using(() => service);

  const customerIn = (path: string): string => path.split('/')[2] ?? '';
  const inHand = (): number => new Set([...service.awaited].map(customerIn)).size;
  /** The most connections of which the bank was asked something at once, until `done`. */
  const mostUntil = async (done: Promise<unknown>): Promise<number> => {
    let [most, over] = [0, false];
    const ending = done.finally(() => (over = true));
    for (; !over; await sleep(20)) most = Math.max(most, inHand());
    await ending;
    return most;
  };
  const syncAll = (connectionIds: readonly string[]) =>
    Promise.all(
      connectionIds.map(async (connectionId) => {
        dataOf(await sync(connectionId));
        await eventually(() => idle(connectionId), 120_000);
      }),
    );

  test('take a share of the slots of each process, and leave some to others', async () => {
    const connectionIds = await Promise.all(Array.from({ length: many }, () => connect('sandbox-slow')));
    await eventually(async () => inHand() >= share - 1 || undefined);
    const since = service.asked.length;
    const other = await connect('sandbox-instant', 'other');
    await idle(other);
    const meanwhile = new Set(service.asked.slice(since).map(customerIn));
    expect(meanwhile.size).toBeLessThan(many);
    const one = await mostUntil(Promise.all(connectionIds.map((id) => eventually(() => idle(id), 120_000))));
    expect(one).toBeLessThanOrEqual(share);

    await service.addReplica();
    await service.addReplica();
    process.kill(service.bank.pid, 'SIGSTOP');
    const most = mostUntil(syncAll(connectionIds));
    await eventually(async () => inHand() >= 2.5 * share || undefined).finally(() =>
      process.kill(service.bank.pid, 'SIGCONT'),
    );
    const three = await most;
    expect(three).toBeGreaterThanOrEqual(2.5 * share);
    expect(three).toBeLessThanOrEqual(3 * share);
  }, 240_000);

  test('are let go when their connection is deleted, also while the bank is silent', async () => {
    const connectionId = await connect('sandbox-instant');
    await idle(connectionId);
    await scenario(connectionId, 'slow', { seconds: 600 });
    dataOf(await sync(connectionId));
    await eventually(async () => [...service.awaited].some((path) => customerIn(path) === connectionId) || undefined);
    dataOf(await service.request(deleteConnection, { ...scope, connectionId }));
    const asked = () => service.asked.filter((path) => customerIn(path) === connectionId).length;
    await eventually(async () => {
      const before = asked();
      // Longer than the bank takes for an answer, after which the next page would be asked for.
      await sleep(4000);
      return asked() === before || undefined;
    });
  });
});
