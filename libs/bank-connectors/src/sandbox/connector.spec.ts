import { startSandboxBank, type BankTruth, type SandboxBank } from '@causeway/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wholePage, type StatementRow } from '@causeway/domain/ledger';
import {
  partRowsMax,
  type BankAccess,
  type BankAccount,
  type BankFault,
  type PaymentOrder,
  type RawPage,
} from '../connector.ts';
import { sandboxConnector } from './connector.ts';

const never = new AbortController().signal;
const connector = sandboxConnector();
const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-connector-'));
let bank: SandboxBank;
let customers = 0;

beforeAll(async () => {
  bank = await startSandboxBank({ dataDir, env: { CAUSEWAY_SANDBOX_LARGE_ROWS: '5200' } });
});
afterAll(async () => {
  await bank.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const customer = async (institutionId = 'sandbox-instant'): Promise<BankAccess> => {
  const access = { connectionId: `customer-${++customers}`, institutionId, baseUrl: bank.url, fileDropDir: '' };
  await connector.prepare(access);
  return access;
};

const ask = async (access: BankAccess, path = '', init: RequestInit = {}): Promise<unknown> => {
  const answer = await fetch(`${bank.url}/control/connections/${access.connectionId}${path}`, init);
  expect(answer.status).toBe(200);
  return answer.json();
};

const truthOf = async (access: BankAccess): Promise<BankTruth> => (await ask(access)) as BankTruth;

const play = async (access: BankAccess, scenario: string, body: object = {}): Promise<readonly object[]> => {
  const told = await ask(access, `/scenarios/${scenario}`, { method: 'POST', body: JSON.stringify(body) });
  return (told as { changed: object[] }).changed;
};

type Synced = Readonly<{ accounts: BankAccount[]; pages: RawPage[]; rows: (StatementRow & { number: string })[] }>;

const sync = async (access: BankAccess): Promise<Synced> => {
  const synced: Synced = { accounts: [], pages: [], rows: [] };
  for await (const one of connector.open(access).fetch(never)) {
    if (one.type === 'account') synced.accounts.push(one.account);
    else synced.pages.push(one.page);
  }
  for (const { accountKey, parts } of synced.pages) {
    const number = synced.accounts.find(({ key }) => key === accountKey)?.number ?? '';
    synced.rows.push(...wholePage(parts.map((part) => connector.map(part))).rows.map((row) => ({ ...row, number })));
  }
  return synced;
};

const asTruth = ({ number, bankId, status, content }: Synced['rows'][number]) => ({
  accountNumber: number,
  bankId,
  status,
  postedDate: content.postedDate,
  amount: content.amount,
  currency: content.currency,
  description: content.description,
});

/** Texts compare at once, buffers byte by byte. */
const pageTexts = ({ pages }: Synced): string[] =>
  pages.map(({ accountKey, range, parts }) => [accountKey, JSON.stringify(range), ...parts.map(String)].join('\n'));

/** In no order: the truth lists by account, a sync by page. */
const inAnyOrder = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

const expectTruth = async (access: BankAccess): Promise<Synced> => {
  const synced = await sync(access);
  const truth = await truthOf(access);
  expect(inAnyOrder(synced.rows.map(asTruth))).toEqual(inAnyOrder(truth.transactions));
  const closings = synced.pages.flatMap(({ accountKey, parts }) =>
    wholePage(parts.map((part) => connector.map(part))).closingBalances.map(({ date, amount }) => {
      const number = synced.accounts.find(({ key }) => key === accountKey)?.number;
      return { accountNumber: number, date, amount };
    }),
  );
  expect(inAnyOrder(closings)).toEqual(inAnyOrder(truth.closingBalances));
  return synced;
};

const order = ({ accounts }: Synced, reference: string): PaymentOrder => ({
  reference,
  rail: 'internal',
  amount: '10.00',
  currency: 'USD',
  fromAccountNumber: accounts[0]?.number ?? '',
  to: { accountNumber: accounts[1]?.number ?? '' },
  clientReference: null,
  memo: null,
});

const { payments } = connector;
if (payments === undefined) throw new Error('the sandbox connector pays');

it('shows what the bank has, at every institution', async () => {
  for (const institutionId of ['sandbox-instant', 'sandbox-large']) {
    const { rows } = await expectTruth(await customer(institutionId));
    expect(rows.length).toBeGreaterThan(400);
  }
});

it.each([
  ['new-transactions', { count: 3 }],
  ['post-pending', {}],
  ['post-pending', { amountChanges: true }],
  ['restate-transaction', {}],
  ['withdraw-transaction', {}],
  ['reverse-transaction', {}],
  ['late-posting', {}],
  ['restate-balance', {}],
  ['reissue-ids', {}],
  ['missing-ids', {}],
  ['large-page', {}],
])('shows what the bank has after %s %j', async (scenario, body) => {
  const access = await customer();
  const before = await sync(access);
  expect((await play(access, scenario, body)).length).toBeGreaterThan(0);
  const after = await expectTruth(access);
  expect(pageTexts(after)).not.toEqual(pageTexts(before));
});

it('passes a page that fits on as it came, and takes a larger one apart', async () => {
  const access = await customer('sandbox-large');
  await play(access, 'large-page');
  const { pages } = await sync(access);
  const sizes = pages.map(({ parts }) => parts.length);
  expect(sizes.filter((size) => size === 1).length).toBe(sizes.length - 1);
  const large = pages.find(({ parts }) => parts.length > 1)?.parts ?? [];
  const rows = large.map((part) => connector.map(part).rows.length);
  expect(rows.slice(0, -1).every((count) => count === partRowsMax)).toBe(true);
  expect(rows.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(5000);
});

it('changes one page when a row is booked today, and no other', async () => {
  const access = await customer('sandbox-large');
  const before = await sync(access);
  await play(access, 'new-transactions');
  const after = await sync(access);
  const known = new Set(pageTexts(before));
  expect(pageTexts(after).filter((page) => !known.has(page))).toHaveLength(1);
});

it('says that a bank that is down is unavailable, and when to come again', async () => {
  const access = await customer();
  await play(access, 'down', { seconds: 60 });
  const first = connector.open(access).fetch(never)[Symbol.asyncIterator]().next();
  const fault: unknown = await first.catch((cause: unknown) => cause);
  expect(fault).toMatchObject({ kind: 'unavailable' });
  expect((fault as BankFault).retryAfterSeconds).toBeGreaterThan(30);
  expect((fault as BankFault).retryAfterSeconds).toBeLessThanOrEqual(60);
});

it('leaves the outcome open when the answer to a payment is lost, and finds it by the reference', async () => {
  const access = await customer();
  const wish = order(await sync(access), 'lost-1');
  await play(access, 'lose-next-answer');
  await expect(payments.pay(access, wish, never)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await payments.stateOf(access, 'lost-1', never)).toMatchObject({ status: 'executed' });
  expect(await payments.pay(access, wish, never)).toMatchObject({ status: 'executed' });
  const truth = await truthOf(access);
  expect(truth.payments).toHaveLength(1);
});

it('takes no second answer for the answer to something else', async () => {
  const access = await customer();
  const synced = await sync(access);
  await play(access, 'duplicate-answer');
  expect(await payments.pay(access, order(synced, 'twice-1'), never)).toMatchObject({ status: 'executed' });
  const failing = { ...order(synced, 'twice-2'), to: { accountNumber: 'nobody' } };
  const failed = { status: 'failed', code: 'invalid_destination' };
  expect(await payments.pay(access, failing, never)).toMatchObject(failed);
  expect(await payments.stateOf(access, 'twice-2', never)).toMatchObject(failed);
  await expectTruth(access);
});

it('pays others once the approver has said so, and shows of them what a statement shows', async () => {
  const access = await customer();
  const before = await sync(access);
  const details = { accountNumber: '000123456789', routingNumber: '021000021' };
  const paymentIdentifier = { scheme: 'us_wire', countryCode: 'US', currency: 'USD', details } as const;
  const payee = { name: 'Acme Supplies', paymentIdentifier, bankName: null, address: null };
  const wish: PaymentOrder = { ...order(before, 'wire-1'), rail: 'wire', to: { payee } };
  expect(await payments.pay(access, wish, never)).toEqual({ status: 'awaitingApproval' });
  await fetch(`${access.baseUrl}/control/payments/wire-1/approve`, { method: 'POST' });
  expect(await payments.stateOf(access, 'wire-1', never)).toEqual({ status: 'executed' });
  const after = await expectTruth(access);
  const sides = after.rows.filter(({ content }) => content.customerReference === 'wire-1');
  const shown = { amount: '-10.00', rail: 'wire', counterpartyName: 'Acme Supplies', counterpartyAccountEnd: '6789' };
  expect(sides).toMatchObject([{ content: shown }]);
  expect(JSON.stringify(after.rows)).not.toContain('000123456789');
});

it('tells the bank’s day by the bank’s clock', async () => {
  const access = await customer();
  const { today } = await payments.day(access, never);
  await fetch(`${access.baseUrl}/control/clock/advance`, { method: 'POST', body: JSON.stringify({ days: 2 }) });
  const later = await payments.day(access, never);
  expect(Date.parse(later.today) - Date.parse(today)).toBe(2 * 86_400_000);
});

it('books a transfer on both sides, under our reference', async () => {
  const access = await customer();
  const before = await sync(access);
  await payments.pay(access, { ...order(before, 'both-1'), clientReference: 'rent', memo: 'für "May"' }, never);
  const after = await expectTruth(access);
  const sides = after.rows.filter(({ content }) => content.customerReference === 'both-1');
  expect(sides.map(({ content }) => content.amount)).toEqual(['-10.00', '10.00']);
  expect(sides.map(({ content }) => content.rail)).toEqual(['internalTransfer', 'internalTransfer']);
  expect(sides[0]?.content.rawDescription).toContain('für "May"');
});
