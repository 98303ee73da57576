import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { canaries, tracesOf } from './canaries.ts';
import { clientOf, connected, happen, insist, synced, truthOf, until, type Client, type Json } from './client.ts';

const us = { accountNumber: '990123456788', routingNumber: '021000021' };
const iban = { iban: 'DE89 3704 0044 0532 0130 00' };
const swift = { accountNumber: '12345678', swiftBic: 'NWBKGB2L' };
const uk = { sortCode: '60-16-13', accountNumber: '31926819' };

describeWithPostgres('payments to others', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  const output: Buffer[] = [];
  let system: System;
  let client: Client;
  let id: string;
  let accounts: readonly Json[];
  beforeAll(async () => {
    const env = { CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0' };
    system = await startSystem({ dataDir, env, onOutput: (said) => void output.push(said) });
    client = clientOf(system);
    id = await connected(client, 'sandbox-instant');
    accounts = await client.all('/v1/accounts');
  });
  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
  });

  const account = (type: string, currency = 'USD'): string =>
    String(accounts.find((one) => one['type'] === type && one['currency'] === currency)?.['id']);
  const payment = (scheme: string, transferType: string, currency: string, details: object, more: object = {}) => ({
    ...{ type: 'external', transferType, amount: { type: 'money', currency, value: '2.50' } },
    sourceAccountId: account('checking', currency === 'EUR' ? 'EUR' : 'USD'),
    destination: {
      ...{ type: 'external', name: 'Acme Supplies' },
      paymentIdentifier: { scheme, countryCode: 'US', currency, details },
    },
    ...more,
  });
  const wire = (more: object = {}) => payment('us_wire', 'wire', 'USD', us, more);
  const pay = (body: object, key?: string) =>
    client.send('POST', '/v1/transfers', body, key === undefined ? {} : { 'idempotency-key': key });
  const paid = async (body: object = wire()): Promise<string> => String((await pay(body)).body['id']);
  const read = async (transferId: string) => (await client.get(`/v1/transfers/${transferId}`)).body;
  const reached = async (transferId: string, status: string): Promise<Json> => {
    await until(`it is ${status}`, async () => (await read(transferId))['status'] === status);
    return read(transferId);
  };
  const listed = async (transferId: string): Promise<Json | undefined> =>
    (await client.all('/v1/transfers')).find((transfer) => transfer.id === transferId);
  const say = async (transferId: string, verb: string): Promise<void> => {
    const answer = await fetch(`${system.sandboxBankUrl}/control/payments/${transferId}/${verb}`, { method: 'POST' });
    expect(answer.status).toBe(200);
  };

  test.each([
    ['us_ach', 'ach', 'USD', { ...us, accountType: 'checking' }],
    ['us_wire', 'wire', 'USD', us],
    ['us_rtp', 'rtp', 'USD', us],
    ['us_fednow', 'fednow', 'USD', us],
    ['iban', 'sepa', 'EUR', iban],
    ['iban', 'swift', 'USD', { ...iban, swiftBic: 'COBADEFF' }],
    ['swift', 'swift', 'USD', swift],
    ['local', 'local', 'USD', { bsb: '062000', accountNumber: '12345678' }],
  ])('%s by %s in %s is taken to the bank and waits for its approver', async (scheme, rail, currency, details) => {
    const { status, body } = await pay(payment(scheme, rail, currency, details));
    expect([status, body['type'], body['transferType']]).toEqual([202, 'external', rail]);
    expect(await reached(String(body['id']), 'pendingBankApproval')).toMatchObject({ rail, currency });
  });

  test('no account of the sandbox is held in pounds', async () => {
    const { status, body } = await pay(payment('uk_sort_code_account_number', 'local', 'GBP', uk));
    expect([status, body['type']]).toEqual([400, 'preflight_failed']);
    expect(body['details']).toMatchObject({ errors: [{ path: 'amount.currency' }] });
  });

  const details = 'destination.paymentIdentifier.details';
  test.each([
    ['us_ach', 'ach', 'USD', us, `${details}.accountType`],
    ['us_wire', 'wire', 'USD', { ...us, routingNumber: '021000022' }, `${details}.routingNumber`],
    ['us_rtp', 'rtp', 'USD', { ...us, accountNumber: 5 }, `${details}.accountNumber`],
    ['us_fednow', 'fednow', 'USD', { ...us, iban: 'x' }, `${details}.iban`],
    ['us_wire', 'ach', 'USD', us, 'transferType'],
    ['us_wire', 'wire', 'EUR', us, 'amount.currency'],
    ['iban', 'sepa', 'EUR', { iban: 'DE88370400440532013000' }, `${details}.iban`],
    ['swift', 'swift', 'USD', { ...swift, swiftBic: 'NWBK' }, `${details}.swiftBic`],
    ['uk_sort_code_account_number', 'local', 'GBP', { ...uk, sortCode: '1' }, `${details}.sortCode`],
    ['local', 'local', 'USD', {}, details],
  ])('%s by %s in %s is refused by its path: %j', async (scheme, rail, currency, given, path) => {
    const { status, body } = await pay(payment(scheme, rail, currency, given));
    expect([status, body['type']]).toEqual([400, 'invalid_request']);
    expect((body['details'] as { errors: Json[] }).errors.map((error) => error['path'])).toEqual([path]);
  });

  test('fifty at once under one key are one transfer, found by its key and its reference', async () => {
    const body = wire({ clientReference: 'invoice 50' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => insist(() => pay(body, 'fifty'))));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 202));
    expect(answers.filter(({ headers }) => headers.has('idempotent-replayed')).length).toBeGreaterThanOrEqual(49);
    const [transferId] = new Set(answers.map((answer) => String(answer.body['id'])));
    for (const filter of ['idempotencyKey=fifty', 'clientReference=invoice%2050']) {
      const found = await client.all(`/v1/transfers?${filter}`);
      expect(found.map((transfer) => transfer.id)).toEqual([transferId]);
    }
    const other = await pay({ ...body, memo: 'another' }, 'fifty');
    expect([other.status, other.body['details']]).toEqual([409, { transferId }]);
    await reached(String(transferId), 'pendingBankApproval');
    const { payments } = await truthOf(system, id);
    expect(payments.filter(({ reference }) => reference === transferId)).toHaveLength(1);
  });

  test('what is approved is completed, and matched to its row of the statement', async () => {
    const transferId = await paid();
    await reached(transferId, 'pendingBankApproval');
    await say(transferId, 'approve');
    expect(await reached(transferId, 'completed')).toMatchObject({ rail: 'wire', matchedTransactionId: null });
    await synced(client, id);
    await until('it is matched', async () => (await read(transferId))['matchedTransactionId'] !== null);
    const transfer = await read(transferId);
    const row = await client.get(`/v1/transactions/${String(transfer['matchedTransactionId'])}`);
    expect(row.body).toMatchObject({ accountId: account('checking'), amount: '-2.50', paymentReference: transferId });
    expect(await listed(transferId)).toMatchObject({ executedAmount: { currency: 'USD', value: '2.50' } });
  });

  test('what is declined is cancelled', async () => {
    const transferId = await paid();
    await reached(transferId, 'pendingBankApproval');
    await say(transferId, 'decline');
    expect(await reached(transferId, 'cancelled')).toMatchObject({ failureReason: 'approval_declined' });
  });

  test('what comes back is returned, and was executed when it was', async () => {
    const transferId = await paid();
    await reached(transferId, 'pendingBankApproval');
    await say(transferId, 'approve');
    const { completedAt } = await reached(transferId, 'completed');
    await say(transferId, 'return');
    const failureReason = 'returned_by_beneficiary';
    expect(await reached(transferId, 'failed')).toMatchObject({ completedAt, failureReason });
    expect(await listed(transferId)).toMatchObject({ status: 'returned', failureReason: { code: failureReason } });
  });

  test('what failed is retried once for each key, under a reference of its own', async () => {
    await happen(system, id, 'fail-next-payment', { code: 'limit_exceeded' });
    const transferId = await paid();
    expect(await reached(transferId, 'failed')).toMatchObject({ failureReason: 'limit_exceeded' });
    const retry = () =>
      client.send('POST', `/v1/transfers/${transferId}/retry`, undefined, { 'idempotency-key': 'again' });
    expect((await retry()).status).toBe(202);
    const replay = await retry();
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
    expect(await reached(transferId, 'pendingBankApproval')).toMatchObject({ failureReason: null, completedAt: null });
    expect((await client.send('POST', `/v1/transfers/${transferId}/retry`)).status).toBe(409);
    const { payments } = await truthOf(system, id);
    const sent = payments.filter(({ reference }) => String(reference).startsWith(transferId));
    expect(sent).toMatchObject([{ status: 'failed' }, { reference: `${transferId}.1`, status: 'awaitingApproval' }]);
  });

  test('what was not sent yet is cancelled', async () => {
    const transferId = await paid(wire({ executionDate: '2099-01-01' }));
    const cancel = (key?: string) =>
      client.send('POST', `/v1/transfers/${transferId}/cancel`, undefined, key ? { 'idempotency-key': key } : {});
    const failureReason = { code: 'cancelled_by_caller' };
    expect((await cancel('no more')).body).toMatchObject({ status: 'cancelled', failureReason });
    expect((await cancel('no more')).headers.get('idempotent-replayed')).toBe('true');
    expect((await cancel()).status).toBe(409);
  });

  test('of a payee nothing is in clear but what is shown', async () => {
    const words = canaries();
    const given = { accountNumber: words.word('account'), swiftBic: 'NWBKGB2L' };
    const kept = words.add('account, as it is kept', given.accountNumber.toUpperCase());
    const transferId = await paid(payment('swift', 'swift', 'USD', given));
    await reached(transferId, 'pendingBankApproval');
    const masked = `••••${kept.slice(-4)}`;
    expect(await read(transferId)).toMatchObject({ counterparty: { name: 'Acme Supplies', accountNumber: masked } });
    const destination = (await listed(transferId))?.['destination'];
    expect(destination).toMatchObject({ paymentIdentifier: { details: { accountNumber: masked } } });
    await say(transferId, 'approve');
    await reached(transferId, 'completed');
    await synced(client, id);
    expect(await tracesOf({ dataDir, output }, words)).toEqual([]);
  });

  /** A command of the command line, and what it prints. */
  const causeway = async (...words: string[]): Promise<Json> => {
    const env = { ...process.env, CAUSEWAY_DATA_DIR: dataDir, CAUSEWAY_OPERATOR: 'ada' };
    const ran = await promisify(execFile)(process.execPath, ['tools/causeway.mjs', ...words, '--json'], { env });
    return JSON.parse(ran.stdout) as Json;
  };
  const why = ['--reason', 'the bank said so, ticket 7'];

  test.each([
    ['--sent', { status: 'completed', failureCode: null }],
    ['--not-sent', { status: 'failed', failureCode: 'bank_error' }],
  ])(
    'an operator says %s of what the bank has no word of',
    async (word, outcome) => {
      await happen(system, id, 'down', { seconds: 60 });
      const transferId = await paid();
      await until('its outcome is unknown', async () => (await listed(transferId))?.['status'] === 'unknown');
      const resolved = await causeway('transfers', 'resolve', transferId, word, ...why);
      expect(resolved).toEqual({ transferId, decidedBy: 'operator', ...outcome });
      expect(await listed(transferId)).toMatchObject({ status: outcome.status });
      const again = causeway('transfers', 'resolve', transferId, word, ...why);
      await expect(again).rejects.toThrow(`transfer ${transferId} is ${outcome.status}`);
      await happen(system, id, 'down', { seconds: 0 });
    },
    60_000,
  );

  test('an operator takes a match back, and gives the transaction to another transfer', async () => {
    const [first, second] = [await paid(), await paid()];
    for (const transferId of [first, second]) {
      await reached(transferId, 'pendingBankApproval');
      await say(transferId, 'approve');
      await reached(transferId, 'completed');
    }
    const matchOf = async (transferId: string) => (await read(transferId))['matchedTransactionId'];
    await synced(client, id);
    await until('both are matched', async () => !(await Promise.all([first, second].map(matchOf))).includes(null));
    const [one, other] = [String(await matchOf(first)), String(await matchOf(second))];
    const match = (transferId: string, to: string) => causeway('transfers', 'match', transferId, to, ...why);
    await expect(match(second, one)).rejects.toThrow(`cannot have the transaction of transfer ${first}`);
    expect(await match(first, 'none')).toEqual({ transferId: first, matchedTransactionId: null });
    expect(await match(second, one)).toEqual({ transferId: second, matchedTransactionId: one });
    expect(await match(first, other)).toEqual({ transferId: first, matchedTransactionId: other });
    expect([await matchOf(first), await matchOf(second)]).toEqual([other, one]);
    await expect(match(first, id)).rejects.toThrow(`there is no transaction ${id}`);
  }, 60_000);

  test('the list is what the sealed events come to', async () => {
    expect(await causeway('projections', 'verify', 'transfers')).toMatchObject({ outcome: 'equal' });
  });
});
