import { describeWithPostgres } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import {
  accountOf,
  checkingToSavings,
  dataOf,
  startService,
  type Customer,
  type ServiceUnderTest,
} from '../../testing/service-under-test.ts';

const usd = (value: string) => ({ currency: 'USD', value });

describeWithPostgres('a transfer that is asked for', () => {
  let service: ServiceUnderTest;
  let customer: Customer;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    customer = await service.customer();
  });

  const account = (type: string) => accountOf(customer, type);
  const between = () => checkingToSavings(customer);

  test('another order under the key is a conflict that names the first', async () => {
    const transferId = randomUUID();
    const { transfer } = dataOf(await service.create({ ...between(), transferId }));
    const reply = await service.create({ ...between(), transferId, amount: usd('2.00') });
    expect(reply).toMatchObject({ ok: false, problem: { status: 409, details: { transferId: transfer.id } } });
  });

  test('the same request is replayed even when it would be refused by now', async () => {
    const transferId = randomUUID();
    const { transfer } = dataOf(await service.create({ ...between(), transferId }));
    await service.database.pool.query(`UPDATE kept.accounts SET status = 'closed' WHERE connection_id = $1`, [
      customer.connectionId,
    ]);
    const again = dataOf(await service.create({ ...between(), transferId }));
    expect(again).toMatchObject({ replayed: true, transfer: { id: transfer.id } });
  });

  test('a refused request leaves its key free', async () => {
    const transferId = randomUUID();
    const tooMuch = await service.create({ ...between(), transferId, amount: usd('999999999.00') });
    expect(tooMuch).toMatchObject({ ok: false, problem: { status: 400, type: 'preflight_failed' } });
    expect(dataOf(await service.create({ ...between(), transferId })).replayed).toBe(false);
  });

  test('a request that is refused is told so, though its key stands for another order', async () => {
    const transferId = randomUUID();
    dataOf(await service.create({ ...between(), transferId }));
    const tooMuch = await service.create({ ...between(), transferId, amount: usd('999999999.00') });
    expect(tooMuch).toMatchObject({ ok: false, problem: { status: 400, type: 'preflight_failed' } });
  });

  test.each([
    ['an unknown paying account', 'preflight_failed', () => ({ sourceAccountId: randomUUID() }), 'sourceAccountId'],
    [
      'an account in another currency',
      'preflight_failed',
      () => ({ amount: { currency: 'EUR', value: '1' } }),
      'amount',
    ],
    [
      'a card that is to pay',
      'preflight_failed',
      () => ({ sourceAccountId: account('creditCard').id }),
      'sourceAccountId',
    ],
    [
      'one account on both sides',
      'invalid_request',
      () => ({ destination: { type: 'account' as const, accountId: account('checking').id } }),
      'destination',
    ],
    ['a day that is past', 'invalid_request', () => ({ executionDate: '2020-01-01' }), 'executionDate'],
  ])('%s is refused and named, preflight or not', async (_, type, change, path) => {
    const reply = await service.create({ ...between(), ...change(), skipPreflight: true });
    const details = { errors: [{ path: expect.stringMatching(`^${path}`) }] };
    expect(reply).toMatchObject({ ok: false, problem: { status: 400, type, details } });
  });

  test('an account of another organization is not there', async () => {
    const reply = await service.create({ ...between(), organization: 'other' });
    expect(reply).toMatchObject({ ok: false, problem: { details: { errors: [{ path: 'sourceAccountId' }] } } });
  });
});
