import { dayText, dayOf } from './calendar.ts';
import type { BankTruth } from '@causeway/testing';
import { at, bankUnderTest } from '../testing/bank-under-test.ts';

const bank = bankUnderTest({ CAUSEWAY_SANDBOX_LARGE_ROWS: '3000' });
beforeAll(() => bank.start());
afterAll(() => bank.discard());

let customers = 0;
const customer = async (institutionId?: string): Promise<string> => {
  const connectionId = `customer-${++customers}`;
  await bank.openCustomer(connectionId, institutionId);
  return connectionId;
};

const cents = (amount: string): number => Math.round(Number(amount) * 100);
const now = async (): Promise<number> => Date.parse((await bank.call('GET', '/control/clock')).body.now);
const dayFromToday = async (days: number): Promise<string> => dayText(dayOf(await now()) + days);

/** What a scenario says it changed, and the bank before and after. */
const played = async (connectionId: string, scenario: string, body?: object) => {
  const before = await bank.truth(connectionId);
  const { status, body: answer } = await bank.play(connectionId, scenario, body);
  expect(status).toBe(200);
  return { before, after: await bank.truth(connectionId), changed: answer.changed };
};

const ledgerOf = (truth: BankTruth): number => cents(at(truth.accounts).ledgerBalance);

/** Every stated closing balance is a later balance less the rows booked since. */
const expectAddsUp = (truth: BankTruth): void => {
  for (const { number, ledgerBalance } of truth.accounts) {
    const rows = truth.transactions.filter((row) => row.accountNumber === number && row.status === 'posted');
    for (const closing of truth.closingBalances.filter((one) => one.accountNumber === number)) {
      const since = rows.filter(({ postedDate }) => (postedDate ?? '') > closing.date);
      const later = since.reduce((total, { amount }) => total + cents(amount), 0);
      expect(cents(closing.amount) + later).toBe(cents(ledgerBalance));
    }
  }
};

it('two customers of one institution have the same bank', async () => {
  const [one, other] = [await bank.truth(await customer()), await bank.truth(await customer('sandbox-slow'))];
  expect(await bank.truth(await customer())).toEqual(one);
  expect(other.accounts.map(({ type }) => type)).toEqual(one.accounts.map(({ type }) => type));
});

it('an instant customer has five accounts, some pending rows, and balances that add up', async () => {
  const truth = await bank.truth(await customer());
  expect(truth.accounts.map(({ type, currency }) => `${type} ${currency}`)).toEqual([
    'checking USD',
    'savings USD',
    'creditCard USD',
    'checking EUR',
    'moneyMarket USD',
  ]);
  expect(truth.transactions.filter(({ status }) => status === 'pending').length).toBeGreaterThan(3);
  expect(truth.payments).toEqual([]);
  expectAddsUp(truth);
});

it('closing balances are stated for every second day of the past, and for no other', async () => {
  const truth = await bank.truth(await customer());
  const dates: string[] = truth.closingBalances
    .filter((one) => one.accountNumber === at(truth.accounts).number)
    .map(({ date }) => date);
  const days = dates.map((date) => Date.parse(date) / 86_400_000);
  expect(days.slice(1).every((day, place) => day - (days[place] ?? 0) === 2)).toBe(true);
  expect(dates.length).toBeGreaterThanOrEqual(44);
  expect(dates.every((date) => date < '9999')).toBe(true);
  expect(at(dates, -1) < (await dayFromToday(0))).toBe(true);
});

it('new-transactions books that many rows today', async () => {
  const { before, after, changed } = await played(await customer(), 'new-transactions', { count: 3 });
  expect(after.transactions.length - before.transactions.length).toBe(3);
  const today = await dayFromToday(0);
  expect(changed.map(({ postedDate }) => postedDate)).toEqual([today, today, today]);
  for (const row of changed) expect(after.transactions).toContainEqual(row);
  expectAddsUp(after);
});

it('new rows differ from the ones before them', async () => {
  const connectionId = await customer();
  const first = await played(connectionId, 'new-transactions', { count: 2 });
  const then = await played(connectionId, 'new-transactions', { count: 2 });
  const ids = [...first.changed, ...then.changed].map(({ bankId }) => bankId);
  expect(new Set(ids).size).toBe(4);
});

it('post-pending posts the pending rows today, with their ids and amounts', async () => {
  const { before, after, changed } = await played(await customer(), 'post-pending');
  const pending = before.transactions.filter(
    (row) => row.status === 'pending' && row.accountNumber === at(before.accounts).number,
  );
  const today = await dayFromToday(0);
  expect(changed).toEqual(pending.map((row) => ({ ...row, status: 'posted', postedDate: today })));
  expect(after.transactions.length).toBe(before.transactions.length);
  expectAddsUp(after);
});

it('post-pending may change the amounts, and take only some', async () => {
  const body = { amountChanges: true, count: 1 };
  const { before, after, changed } = await played(await customer(), 'post-pending', body);
  expect(changed).toHaveLength(1);
  const pending = before.transactions.find(({ bankId }) => bankId === at(changed).bankId);
  expect(at(changed).amount).not.toBe(pending?.amount);
  expect(ledgerOf(after) - ledgerOf(before)).toBe(cents(at(changed).amount));
});

it('restate-transaction changes amount and description of a row of ten days ago, each time anew', async () => {
  const connectionId = await customer();
  const first = await played(connectionId, 'restate-transaction');
  const row = at(first.changed);
  const was = at(first.before.transactions.filter(({ bankId }) => bankId === row.bankId));
  expect((row.postedDate ?? '') <= (await dayFromToday(-10))).toBe(true);
  expect([row.amount, row.description]).not.toEqual([was.amount, was.description]);
  expect(ledgerOf(first.after) - ledgerOf(first.before)).toBe(cents(row.amount) - cents(was.amount));
  expectAddsUp(first.after);
  const again = at((await played(connectionId, 'restate-transaction')).changed);
  expect(again.bankId).toBe(row.bankId);
  expect([again.amount, again.description]).not.toEqual([row.amount, row.description]);
});

it.each([
  ['withdraw-transaction', 'posted'],
  ['cancel-pending', 'pending'],
])('%s takes a %s row out of the record', async (scenario, status) => {
  const { before, after, changed } = await played(await customer(), scenario);
  expect(changed).toMatchObject([{ status }]);
  expect(before.transactions).toContainEqual(at(changed));
  expect(after.transactions).toEqual(before.transactions.filter(({ bankId }) => bankId !== at(changed).bankId));
  expectAddsUp(after);
});

it('reverse-transaction books a row that takes one of ten days ago back; none is taken back twice', async () => {
  const connectionId = await customer();
  const day = await dayFromToday(-10);
  const reversed: string[] = [];
  for (let turn = 0; turn < 2; turn++) {
    const { before, after, changed } = await played(connectionId, 'reverse-transaction');
    const counter = at(changed);
    const [original] = before.transactions.filter(
      (row) =>
        counter.description === `Reversal of ${row.description}` &&
        cents(row.amount) === -cents(counter.amount) &&
        (row.postedDate ?? '') <= day,
    );
    expect(counter).toMatchObject({ status: 'posted', postedDate: await dayFromToday(0) });
    expect(original).toBeDefined();
    expect(after.transactions).toContainEqual(original);
    expect(after.transactions.length).toBe(before.transactions.length + 1);
    expectAddsUp(after);
    reversed.push(original?.bankId ?? '');
  }
  expect(new Set(reversed).size).toBe(2);
});

it('late-posting books a row ten days back', async () => {
  const { after, changed } = await played(await customer(), 'late-posting');
  expect(changed.map(({ postedDate }) => postedDate)).toEqual([await dayFromToday(-10)]);
  expectAddsUp(after);
});

it('restate-balance changes one closing balance and no row', async () => {
  const { before, after, changed } = await played(await customer(), 'restate-balance');
  expect(after.transactions).toEqual(before.transactions);
  const others = after.closingBalances.filter((one) => !before.closingBalances.some(equalTo(one)));
  expect(others).toEqual(changed);
  expect(changed).toHaveLength(1);
});

const equalTo = (one: object) => (other: object) => JSON.stringify(one) === JSON.stringify(other);

it('missing-ids takes the ids away until reissue-ids gives every row a new one', async () => {
  const connectionId = await customer();
  const missing = await played(connectionId, 'missing-ids');
  const { length } = missing.before.transactions;
  expect(missing.changed).toHaveLength(length);
  expect(missing.after.transactions.every(({ bankId }) => bankId === null)).toBe(true);
  await bank.play(connectionId, 'new-transactions');
  const reissued = await played(connectionId, 'reissue-ids');
  const ids = reissued.after.transactions.map(({ bankId }) => bankId);
  expect(new Set([...ids, ...missing.before.transactions.map(({ bankId }) => bankId)]).size).toBe(2 * length + 1);
});

it('large-page answers 5,000 new rows as one page', async () => {
  const connectionId = await customer('sandbox-large');
  const { after, changed } = await played(connectionId, 'large-page');
  expect(changed).toHaveLength(5000);
  const today = await dayFromToday(0);
  const path = `/customers/${connectionId}/accounts/${at(after.accounts).number}/transactions?from=${today}`;
  const page = await bank.call('GET', path);
  expect(page.body.transactions.length).toBeGreaterThanOrEqual(5000);
  expect(page.headers.get('link')).toBeNull();
});

it.each([
  ['down', 503],
  ['rate-limit', 429],
])('%s answers %d to all but control, until it is over', async (scenario, refused) => {
  const connectionId = await customer();
  await bank.play(connectionId, scenario, { seconds: 60 });
  const { status, headers } = await bank.call('GET', `/customers/${connectionId}/accounts`);
  expect(status).toBe(refused);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(30);
  expect((await bank.call('GET', `/customers/${await customer()}/accounts`)).status).toBe(200);
  await bank.call('POST', '/control/clock/advance', { seconds: 61 });
  expect((await bank.call('GET', `/customers/${connectionId}/accounts`)).status).toBe(200);
});

it.each([
  ['slow', () => customer(), { seconds: 2 }],
  ['new-transactions', () => customer('sandbox-slow'), {}],
])('a bank that is slow (%s) takes three seconds for the accounts', async (scenario, open, body) => {
  const connectionId = await open();
  await bank.play(connectionId, scenario, body);
  const start = Date.now();
  expect((await bank.call('GET', `/customers/${connectionId}/accounts`)).status).toBe(200);
  expect(Date.now() - start).toBeGreaterThanOrEqual(2_990);
});

it.each([
  ['/control/connections/none/scenarios/down', {}, 404],
  ['scenarios/earthquake', {}, 404],
  ['scenarios/new-transactions', { count: 0 }, 400],
  ['scenarios/new-transactions', { count: 1_000_000 }, 400],
  ['scenarios/new-transactions', { accountNumber: 'none' }, 400],
  ['scenarios/down', { seconds: -1 }, 400],
  ['scenarios/down', '[]', 400],
  ['scenarios/down', '{', 400],
])('%s %j is refused with %d', async (path, body, status) => {
  const connectionId = await customer();
  const whole = path.startsWith('/') ? path : `/control/connections/${connectionId}/${path}`;
  const told = await bank.call('POST', whole, body);
  expect(told.status).toBe(status);
  expect(told.body.message).toMatch(/\w/);
});

it('the clock goes forward, and a past day gets its closing balance', async () => {
  const connectionId = await customer();
  const before = await bank.truth(connectionId);
  const start = await now();
  expect((await bank.call('POST', '/control/clock/advance', { days: 3, hours: 24 })).status).toBe(200);
  expect((await now()) - start).toBeGreaterThanOrEqual(4 * 86_400_000);
  const after = await bank.truth(connectionId);
  expect(after.transactions).toEqual(before.transactions);
  expect(after.closingBalances.length - before.closingBalances.length).toBe(2 * 5);
  expect((await bank.call('POST', '/control/clock/advance', { days: -1 })).status).toBe(400);
});
