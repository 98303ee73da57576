import { connectors } from '@causeway/bank-connectors';
import type { Order } from '@causeway/domain/transfers';
import { describeWithPostgres, withRoom } from '@causeway/testing';
import { ClaimLost } from '@causeway/work-queue';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sidesIn } from '../commands/accounts.ts';
import { paymentsVia } from '../commands/payments.ts';
import { execute, sendWithinMs } from './execute.ts';
import { transfersIn, type ExecutionParts, type Loaded } from './load.ts';
import {
  accountOf,
  checkingToSavings,
  dataOf,
  eventually,
  scope,
  startService,
  type Customer,
  type ServiceUnderTest,
} from '../../testing/service-under-test.ts';

const at = '2026-03-01T10:00:00.000Z';
const context = { metadata: { correlationId: 'request-1', causationId: 'message-1', ...scope } };
const never = (): never => {
  throw new Error('the bank is not called');
};
const usd = (value: string) => ({ currency: 'USD', value });

describeWithPostgres('transfers', () => {
  let service: ServiceUnderTest;
  let customer: Customer;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    customer = await service.customer();
  });
  afterEach(() => expect(service.deadLetters).toEqual([]));

  const account = (type: string) => accountOf(customer, type);
  const between = () => checkingToSavings(customer);
  const payments = async () => (await service.truth(customer.connectionId)).payments;
  const ended = (transferId: string, ...statuses: string[]) =>
    eventually(async () => {
      const row = await service.row(transferId);
      return row !== undefined && statuses.includes(row.status) ? row : undefined;
    });
  const order = (value = '5.00'): Order => ({
    ...between(),
    amount: usd(value),
    connectionId: customer.connectionId,
    institutionId: 'sandbox-instant',
    transferType: 'internal',
    clientReference: null,
    memo: null,
    executionDate: null,
    skipPreflight: false,
  });
  const scenario = (name: string, body?: object) =>
    control(`connections/${customer.connectionId}/scenarios/${name}`, body);
  const control = async (path: string, body: object = {}): Promise<void> => {
    const init = { method: 'POST', body: JSON.stringify(body) };
    expect((await fetch(`${service.bank.url}/control/${path}`, init)).status).toBe(200);
  };
  const advance = (by: object) => control('clock/advance', by);
  /** What a process that dies leaves behind: events up to a point, and nobody at work. */
  const leftBehind = async (...last: ('queued' | 'started' | 'sent')[]): Promise<string> => {
    const transferId = randomUUID();
    await service.halt();
    await service.aggregates.transfer({ type: 'QueueTransfer', transferId, at, order: order() }, context);
    if (last.includes('started'))
      await service.aggregates.transfer({ type: 'StartExecution', transferId, at, attempt: 0 }, context);
    if (last.includes('sent')) {
      const access = { connectionId: customer.connectionId, institutionId: 'sandbox-instant', fileDropDir: '' };
      const [from, to] = [account('checking'), account('savings')];
      const paid = { amount: '5.00', currency: 'USD', clientReference: null, memo: null };
      const sides = { fromAccountNumber: from.number, to: { accountNumber: to.number } };
      const payment = { reference: transferId, rail: 'internal', ...paid, ...sides } as const;
      const at = { ...access, baseUrl: service.bank.url };
      await connectors['sandbox']?.payments?.pay(at, payment, AbortSignal.timeout(5000));
    }
    return transferId;
  };

  test('an order is executed once, and shown as it was asked for', async () => {
    const { transfer, replayed } = dataOf(await service.create({ ...between(), amount: usd('12.50'), memo: 'rent' }));
    expect(replayed).toBe(false);
    expect(transfer).toMatchObject({ status: 'queued', requestedValue: '12.50', memo: 'rent' });
    expect(await ended(transfer.id, 'completed')).toMatchObject({ executedValue: '12.50', failureCode: null });
    expect(await payments()).toMatchObject([{ reference: transfer.id, amount: '12.50', status: 'executed' }]);
  });

  test('100 concurrent requests under one key, to two replicas, make one transfer and one payment', async () => {
    const transferId = randomUUID();
    const other = await service.replica();
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        (i % 4 < 2 ? service : other).create({ ...between(), transferId, amount: usd(i % 2 === 0 ? '3.10' : '3.1') }),
      ),
    );
    await other.close();
    const made = replies.map(dataOf);
    expect(new Set(made.map(({ transfer }) => transfer.id)).size).toBe(1);
    expect(made.filter(({ replayed }) => !replayed)).toHaveLength(1);
    await ended(made[0]?.transfer.id ?? '', 'completed');
    expect(await payments()).toHaveLength(1);
  });

  test('without a preflight, the bank refuses', async () => {
    const { transfer } = dataOf(
      await service.create({ ...between(), amount: usd('999999999.00'), skipPreflight: true }),
    );
    expect(await ended(transfer.id, 'failed')).toMatchObject({ failureCode: 'insufficient_funds' });
  });

  test('an order for a later day stays queued until the day begins at the bank', async () => {
    const executionDate = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const { transfer } = dataOf(await service.create({ ...between(), executionDate }));
    await sleep(1500);
    expect(await service.row(transfer.id)).toMatchObject({ status: 'queued' });
    expect(await payments()).toEqual([]);
    await advance({ days: 2 });
    await ended(transfer.id, 'completed');
  });

  test('an answer that was lost is asked for; the order is not sent again', async () => {
    await scenario('lose-next-answer');
    const { transfer } = dataOf(await service.create(between()));
    await ended(transfer.id, 'completed');
    expect(await payments()).toHaveLength(1);
  });

  test('an answer that comes twice counts once', async () => {
    await scenario('duplicate-answer');
    const { transfer } = dataOf(await service.create(between()));
    await ended(transfer.id, 'completed');
    expect(await payments()).toHaveLength(1);
  });

  test('a queued order is executed after a restart', async () => {
    const transferId = await leftBehind('queued');
    await service.resume();
    await ended(transferId, 'completed');
    expect(await payments()).toHaveLength(1);
  });

  test('killed between the record and the bank: never sent, and failed once the bank has denied it for long', async () => {
    const transferId = await leftBehind('queued', 'started');
    await service.resume();
    expect(await ended(transferId, 'unknown', 'failed')).toMatchObject({ status: 'unknown' });
    expect(await ended(transferId, 'failed')).toMatchObject({ failureCode: 'bank_error' });
    expect(await payments()).toEqual([]);
  });

  test('killed after sending: the bank is asked, and the order is not sent again', async () => {
    const transferId = await leftBehind('queued', 'started', 'sent');
    await service.resume();
    await ended(transferId, 'completed');
    expect(await payments()).toHaveLength(1);
  });

  test.each([
    ['was frozen', () => sleep(sendWithinMs + 100), () => undefined],
    [
      'has lost its claim',
      async () => undefined,
      () => {
        throw new ClaimLost('run out');
      },
    ],
  ])('a worker that %s between the record and the bank does not send', async (_, pause, throwIfLost) => {
    const transferId = await leftBehind('queued');
    const { aggregates, store, bank, database } = service;
    const transfers = transfersIn(store);
    let isStarted = false;
    const worker: ExecutionParts = {
      ...{ sidesOf: sidesIn(database.pool), transfers, paymentsAt: paymentsVia(connectors), now: () => at },
      log: { info: () => undefined },
      aggregates: {
        transfer: async (command, ...rest) => {
          const decision = await aggregates.transfer(command, ...rest);
          if (command.type === 'StartExecution') await pause();
          isStarted ||= command.type === 'StartExecution';
          return decision;
        },
      },
      accessTo: (connectionId, institutionId) => ({ connectionId, institutionId, baseUrl: bank.url, fileDropDir: '' }),
    };
    const claim = { throwIfLost: () => (isStarted ? throwIfLost() : undefined) };
    const loaded = (await transfers.load(transferId)) as Loaded;
    await execute(worker, loaded, claim, new AbortController().signal);
    await service.resume();
    expect(await ended(transferId, 'failed')).toMatchObject({ failureCode: 'bank_error' });
    expect(await payments()).toEqual([]);
  });

  test('a stop lets go of an order that the bank is silent about; its outcome is asked for at the next start', async () => {
    process.kill(service.bank.pid, 'SIGSTOP');
    const { transfer } = dataOf(await service.create(between()));
    await ended(transfer.id, 'executing');
    const begun = performance.now();
    await service.halt();
    expect(performance.now() - begun).toBeLessThan(withRoom(6000));
    process.kill(service.bank.pid, 'SIGCONT');
    await service.resume();
    await ended(transfer.id, 'completed');
    expect(await payments()).toHaveLength(1);
  });

  test('a worker that comes late does not fail for want of a connection what another has begun', async () => {
    const transferId = await leftBehind('queued');
    const { aggregates, store, database } = service;
    const transfers = transfersIn(store);
    const loaded = (await transfers.load(transferId)) as Loaded;
    await aggregates.transfer({ type: 'StartExecution', transferId, at, attempt: 0 }, context);
    await database.pool.query('DELETE FROM kept.connections WHERE id = $1', [customer.connectionId]);
    const late: ExecutionParts = {
      ...{ sidesOf: sidesIn(database.pool), transfers, paymentsAt: paymentsVia(connectors), now: () => at },
      ...{ aggregates, log: { info: () => undefined }, accessTo: () => never() },
    };
    const claim = { throwIfLost: () => undefined };
    expect(await execute(late, loaded, claim, new AbortController().signal)).toBeUndefined();
    expect((await transfers.load(transferId))?.state.status).toBe('executing');
    await service.resume();
  });

  test('an order whose connection has gone fails', async () => {
    const transferId = await leftBehind('queued');
    await service.database.pool.query('DELETE FROM kept.connections WHERE id = $1', [customer.connectionId]);
    await service.resume();
    expect(await ended(transferId, 'failed')).toMatchObject({ failureCode: 'connection_unavailable' });
    expect(await payments()).toEqual([]);
  });
});
