import { cancelTransfer, retryTransfer, type CreateTransferV1, type PayeeV1 } from '@causeway/contracts';
import type { Order } from '@causeway/domain/transfers';
import { describeWithPostgres } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import {
  accountOf,
  checkingToSavings,
  dataOf,
  eventually,
  startService,
  type Customer,
  type ServiceUnderTest,
} from '../../testing/service-under-test.ts';

const at = '2026-03-01T10:00:00.000Z';
const usd = (value: string) => ({ currency: 'USD', value });
const details = { accountNumber: '990123456788', routingNumber: '021000021' };
const payee: PayeeV1 = {
  name: 'Acme Supplies',
  paymentIdentifier: { scheme: 'us_wire', countryCode: 'US', currency: 'USD', details },
  bankName: null,
  address: null,
};

describeWithPostgres('payments to others', () => {
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

  const payments = async () => (await service.truth(customer.connectionId)).payments;
  const reached = (transferId: string, ...statuses: string[]) =>
    eventually(async () => {
      const row = await service.row(transferId);
      return row !== undefined && statuses.includes(row.status) ? row : undefined;
    });
  const control = async (path: string, body: object = {}): Promise<void> => {
    const init = { method: 'POST', body: JSON.stringify(body) };
    expect((await fetch(`${service.bank.url}/control/${path}`, init)).status).toBe(200);
  };
  const scenario = (name: string, body?: object) =>
    control(`connections/${customer.connectionId}/scenarios/${name}`, body);
  const order = (): Partial<CreateTransferV1> => ({
    sourceAccountId: accountOf(customer, 'checking').id,
    transferType: 'wire',
    amount: usd('7.50'),
  });
  const pay = async (otherwise: Partial<CreateTransferV1> = {}): Promise<string> =>
    dataOf(await service.pay(payee, { ...order(), ...otherwise })).transfer.id;

  test('a payment waits for the approver, and is executed once', async () => {
    const id = await pay();
    expect(await reached(id, 'pending_bank_approval')).toMatchObject({ executedValue: null });
    await control(`payments/${id}/approve`);
    expect(await reached(id, 'completed')).toMatchObject({ executedValue: '7.50' });
    expect(await payments()).toMatchObject([{ reference: id, amount: '7.50', status: 'executed' }]);
  });

  test('what the approver declines is cancelled', async () => {
    const id = await pay();
    await reached(id, 'pending_bank_approval');
    await control(`payments/${id}/decline`);
    expect(await reached(id, 'cancelled')).toMatchObject({ failureCode: 'approval_declined' });
  });

  test('an answer that was lost is asked for: the payment waits at the bank', async () => {
    await scenario('lose-next-answer');
    const id = await pay();
    await reached(id, 'pending_bank_approval');
    expect(await payments()).toHaveLength(1);
  });

  test('money that comes back is returned, and stays executed on the day that it went', async () => {
    const id = await pay();
    await reached(id, 'pending_bank_approval');
    await control(`payments/${id}/approve`);
    const { completedAt } = await reached(id, 'completed');
    await control(`payments/${id}/return`);
    const row = await reached(id, 'returned');
    expect(row).toMatchObject({ completedAt, failureCode: 'returned_by_beneficiary' });
  }, 40_000);

  test('the payee is answered masked, and is in clear in no table', async () => {
    const { transfer } = dataOf(await service.pay(payee, order()));
    const shown = { ...payee.paymentIdentifier, details: { ...details, accountNumber: '••••6788' } };
    expect(transfer).toMatchObject({ transferType: 'wire', payee: { ...payee, paymentIdentifier: shown } });
    await reached(transfer.id, 'pending_bank_approval');
    const { pool } = service.database;
    const { rows } = await pool.query<{ at: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS at FROM pg_tables WHERE schemaname ~ '^transfers'`,
    );
    expect(rows.length).toBeGreaterThan(5);
    for (const { at } of rows) {
      const found = await pool.query<{ row: string }>(`SELECT t::text AS row FROM ${at} t`);
      const texts = found.rows.flatMap(({ row }) => [row, ...bytesIn(row)]);
      expect(texts.filter((text) => text.includes(details.accountNumber))).toEqual([]);
    }
  });
  /** Columns of bytes, as they read. */
  const bytesIn = (row: string): string[] =>
    (row.match(/\\x[\da-f]+/g) ?? []).map((hex) => Buffer.from(hex.slice(2), 'hex').toString('latin1'));

  test('the same payee, written otherwise, is the same request; another one is a conflict', async () => {
    const transferId = await pay({ transferId: randomUUID() });
    const spaced = { ...details, accountNumber: '9901 2345 6788' };
    const same = { ...payee, paymentIdentifier: { ...payee.paymentIdentifier, details: spaced } };
    expect(dataOf(await service.pay(same, { ...order(), transferId })).replayed).toBe(true);
    const reply = await service.pay({ ...payee, name: 'Acme' }, { ...order(), transferId });
    expect(reply).toMatchObject({ ok: false, problem: { status: 409, details: { transferId } } });
  });

  test('a payee that cannot be one is refused by its paths', async () => {
    const wrong = { ...details, routingNumber: '021000022' };
    const reply = await service.pay(
      { ...payee, paymentIdentifier: { ...payee.paymentIdentifier, details: wrong } },
      { ...order(), transferType: 'ach' },
    );
    const errors = [
      { path: 'transferType', message: 'must be wire for us_wire' },
      { path: 'destination.paymentIdentifier.details.routingNumber', message: 'must be an ABA routing number' },
    ];
    expect(reply).toMatchObject({ ok: false, problem: { status: 400, type: 'invalid_request', details: { errors } } });
  });

  test('what the bank failed is retried under a reference of its own, once for each request', async () => {
    await scenario('fail-next-payment', { code: 'limit_exceeded' });
    const id = await pay();
    expect(await reached(id, 'failed')).toMatchObject({ failureCode: 'limit_exceeded' });
    const requestId = randomUUID();
    const first = dataOf(await service.change(retryTransfer, id, { requestId }));
    expect(first).toMatchObject({ replayed: false, transfer: { failureCode: null } });
    expect(dataOf(await service.change(retryTransfer, id, { requestId })).replayed).toBe(true);
    await reached(id, 'pending_bank_approval');
    await control(`payments/${id}/approve`);
    await reached(id, 'completed');
    const sent = (await payments()).map(({ reference, status }) => [reference, status]);
    expect(sent).toEqual([
      [id, 'failed'],
      [`${id}.1`, 'executed'],
    ]);
  });

  test('a retry of what the bank has paid after all pays nothing more', async () => {
    const id = await pay();
    await reached(id, 'pending_bank_approval');
    await control(`payments/${id}/approve`);
    await reached(id, 'completed');
    const { transferId, metadata } = await takenForFailed(id);
    await service.aggregates.transfer({ type: 'RetryTransfer', transferId, requestId: 'r', at }, { metadata });
    await service.resume();
    expect(await reached(transferId, 'completed')).toMatchObject({ executedValue: '7.50' });
    expect(await payments()).toHaveLength(2);
  });
  /** Of the same owner as that one: a transfer that the bank has executed, and that was taken for failed. */
  const takenForFailed = async (like: string) => {
    await service.halt();
    const metadata = (await service.store.readStream(`transfer-${like}`))[0]!.metadata;
    const transferId = randomUUID();
    const its = { transferId, at, attempt: 0 };
    const asked: Order = {
      ...{ ...checkingToSavings(customer), amount: usd('7.50'), transferType: 'internal' },
      ...{ connectionId: customer.connectionId, institutionId: 'sandbox-instant' },
      ...{ clientReference: null, memo: null, executionDate: null, skipPreflight: false },
    };
    await service.aggregates.transfer({ type: 'QueueTransfer', transferId, at, order: asked }, { metadata });
    await service.aggregates.transfer({ type: 'StartExecution', ...its }, { metadata });
    await service.aggregates.transfer({ type: 'RecordFailure', failure: 'bank_error', ...its }, { metadata });
    const instruction = {
      ...{ reference: transferId, amount: '7.50', currency: 'USD' },
      fromAccountNumber: accountOf(customer, 'checking').number,
      toAccountNumber: accountOf(customer, 'savings').number,
    };
    const url = `${service.bank.url}/customers/${customer.connectionId}/payments`;
    expect((await fetch(url, { method: 'POST', body: JSON.stringify(instruction) })).status).toBe(201);
    return { transferId, metadata };
  };

  test('what was not sent yet can be cancelled; what is done cannot', async () => {
    const executionDate = '2099-01-01';
    const { transfer } = dataOf(await service.create({ ...checkingToSavings(customer), executionDate }));
    const requestId = randomUUID();
    const cancelled = dataOf(await service.change(cancelTransfer, transfer.id, { requestId }));
    expect(cancelled.transfer).toMatchObject({ status: 'cancelled', failureCode: 'cancelled_by_caller' });
    expect(dataOf(await service.change(cancelTransfer, transfer.id, { requestId })).replayed).toBe(true);
    const again = await service.change(cancelTransfer, transfer.id);
    expect(again).toMatchObject({ ok: false, problem: { status: 409, details: { status: 'cancelled' } } });
    const retried = await service.change(retryTransfer, transfer.id);
    expect(retried).toMatchObject({ ok: false, problem: { status: 409 } });
    expect(await payments()).toEqual([]);
  });

  test.each([
    ['another organization', { organization: 'other' }],
    ['the other environment', { environment: 'live' as const }],
  ])('%s has no such transfer', async (_, otherwise) => {
    const id = await pay();
    const reply = await service.change(cancelTransfer, id, otherwise);
    expect(reply).toMatchObject({ ok: false, problem: { status: 404 } });
  });
});
