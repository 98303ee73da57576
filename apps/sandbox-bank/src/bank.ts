import { amend, book, openAccount, type Account } from './account.ts';
import type { Access, Change, JournalRecord, Payment } from './changes.ts';
import { accountNumber } from './world/account-number.ts';
import { makeHistory, type History } from './world/history.ts';
import { plansOf, type InstitutionId } from './world/institutions.ts';
import { hashText, mix } from './world/random.ts';

export type Customer = Readonly<{
  connectionId: string;
  institutionId: InstitutionId;
  accounts: ReadonlyMap<string, Account>;
  payments: Map<string, Payment>;
  /** Until when the bank is down, slow or takes no more requests, for this customer: the bank's clock. */
  outages: { down: number; slow: number; limited: number };
  login: { access: Access };
  nextAnswer: { fate: 'lost' | 'twice' | null };
  /** The code that the next payment fails with, whatever it is. */
  nextPayment: { failure: string | null };
}>;

/** The bank as its journal has made it. Only `apply` changes it. */
export type Bank = Readonly<{
  clock: { aheadMs: number };
  customers: Map<string, Customer>;
  /** Whose payment a reference is. A reference names one payment in the whole bank. */
  payers: Map<string, Customer>;
  /** The newest reference of a transfer, by its first: the n-th retry goes under `<id>.<n>`. */
  newest: Map<string, string>;
  histories: Map<string, History>;
}>;

export const emptyBank = (): Bank => ({
  clock: { aheadMs: 0 },
  customers: new Map(),
  payers: new Map(),
  newest: new Map(),
  histories: new Map(),
});

type CustomerOpened = Extract<Change, { type: 'customerOpened' }>;

/** Customers of one institution opened on one day have the same history, made and kept once. */
const historyFor = (bank: Bank, opened: CustomerOpened, place: number): History => {
  const { institutionId, seed, largeRows, day } = opened;
  const name = [institutionId, place, seed, largeRows, day].join('/');
  const plan = plansOf[institutionId][place];
  if (plan === undefined) throw new Error(`${institutionId} has no account ${place}`);
  const known = bank.histories.get(name);
  if (known !== undefined) return known;
  const made = makeHistory(plan, accountSeed(opened, place), day, largeRows);
  bank.histories.set(name, made);
  return made;
};

const accountSeed = ({ seed, institutionId }: CustomerOpened, place: number): number =>
  mix(mix(seed, hashText(institutionId)), place);

const openCustomer = (bank: Bank, opened: CustomerOpened, atMs: number): void => {
  const accounts = plansOf[opened.institutionId].map((plan, place) => {
    const seed = accountSeed(opened, place);
    const number = accountNumber(plan.currency, seed);
    return openAccount({ number, plan, seed, history: historyFor(bank, opened, place), openedAtMs: atMs });
  });
  bank.customers.set(opened.connectionId, {
    connectionId: opened.connectionId,
    institutionId: opened.institutionId,
    accounts: new Map(accounts.map((account) => [account.number, account])),
    payments: new Map(),
    outages: { down: 0, slow: 0, limited: 0 },
    login: { access: 'open' },
    nextAnswer: { fate: null },
    nextPayment: { failure: null },
  });
};

const customerOf = (bank: Bank, { connectionId }: { connectionId: string }): Customer => {
  const customer = bank.customers.get(connectionId);
  if (customer === undefined) throw new Error(`no customer ${connectionId}`);
  return customer;
};

const accountOf = (bank: Bank, of: { connectionId: string; accountNumber: string }): Account => {
  const account = customerOf(bank, of).accounts.get(of.accountNumber);
  if (account === undefined) throw new Error(`customer ${of.connectionId} has no account ${of.accountNumber}`);
  return account;
};

const keepPayment = (bank: Bank, change: Extract<Change, { payment: Payment }>): void => {
  const customer = customerOf(bank, change);
  customer.payments.set(change.payment.reference, change.payment);
  bank.payers.set(change.payment.reference, customer);
};

type OfAccount = Extract<Change, { accountNumber: string }>;

const applyToAccount = (account: Account, change: OfAccount, atMs: number): void => {
  switch (change.type) {
    case 'rowsBooked':
      return book(account, change.rows, atMs);
    case 'pendingPosted':
      account.pending.delete(change.row.key);
      return book(account, [change.row], atMs);
    case 'pendingVanished':
      account.pending.delete(change.key);
      return;
    case 'rowRestated':
      return amend(account, change.row, change.row, atMs);
    case 'rowWithdrawn':
      return amend(account, change, null, atMs);
    case 'closingRestated':
      account.restated.set(change.day, (account.restated.get(change.day) ?? 0) + change.by);
      return;
    case 'idsReissued':
      account.counters.idGeneration += 1;
      account.counters.idsWithheld = false;
      return;
    case 'idsWithheld':
      account.counters.idsWithheld = true;
  }
};

const applyOne = (bank: Bank, change: Change, atMs: number): void => {
  switch (change.type) {
    case 'clockAdvanced':
      bank.clock.aheadMs += change.byMs;
      return;
    case 'customerOpened':
      return openCustomer(bank, change, atMs);
    case 'outageBegan':
      customerOf(bank, change).outages[change.kind] = change.untilMs;
      return;
    case 'accessChanged': {
      const { login } = customerOf(bank, change);
      if (login.access !== 'withdrawn') login.access = change.access;
      return;
    }
    case 'nextAnswerFated':
      customerOf(bank, change).nextAnswer.fate = change.fate;
      return;
    case 'nextPaymentFails':
      customerOf(bank, change).nextPayment.failure = change.code;
      return;
    case 'paymentTaken':
      customerOf(bank, change).nextAnswer.fate = null;
      customerOf(bank, change).nextPayment.failure = null;
      bank.newest.set(change.payment.reference.replace(/\.\d+$/, ''), change.payment.reference);
      return keepPayment(bank, change);
    case 'paymentJudged':
    case 'paymentReturned':
      return keepPayment(bank, change);
    default:
      return applyToAccount(accountOf(bank, change), change, atMs);
  }
};

export const apply = (bank: Bank, { atMs, changes }: JournalRecord): void => {
  for (const change of changes) applyOne(bank, change, atMs);
};
