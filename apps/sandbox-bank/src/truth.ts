import {
  availableBalance,
  bankIdOf,
  ledgerBalance,
  rowsOn,
  statedClosingOn,
  statesClosing,
  type Account,
} from './account.ts';
import type { Customer } from './bank.ts';
import { dayText, type Day } from './calendar.ts';
import type { Payment } from './changes.ts';
import { centsText } from './money.ts';
import type { Row } from './world/row.ts';

/** What is so at the bank, in the shapes that the control interface promises. */

export const truthOfRow = (account: Account, row: Row, status: 'pending' | 'posted') => ({
  accountNumber: account.number,
  bankId: bankIdOf(account, row),
  status,
  postedDate: status === 'posted' ? dayText(row.day) : null,
  amount: centsText(row.amount),
  currency: account.plan.currency,
  description: row.text,
});

export const truthOfClosing = (account: Account, day: Day) => ({
  accountNumber: account.number,
  date: dayText(day),
  amount: centsText(statedClosingOn(account, day)),
});

const truthOfAccount = (account: Account) => ({
  number: account.number,
  type: account.plan.type,
  currency: account.plan.currency,
  ledgerBalance: centsText(ledgerBalance(account)),
  availableBalance: centsText(availableBalance(account)),
});

const truthOfPayment = ({ reference, amount, currency, fromAccountNumber, status, receivedAt }: Payment) => ({
  reference,
  amount,
  currency,
  fromAccountNumber,
  status,
  receivedAt,
});

export function* truthOfRows(account: Account, today: Day): Generator<object> {
  for (let day = account.history.firstDay; day <= today; day++)
    for (const row of rowsOn(account, day)) yield truthOfRow(account, row, 'posted');
  for (const row of account.pending.values()) yield truthOfRow(account, row, 'pending');
}

function* truthOfClosings(account: Account, today: Day): Generator<object> {
  for (let day = account.history.firstDay; day < today; day++)
    if (statesClosing(day, today)) yield truthOfClosing(account, day);
}

/** A JSON list, member by member: a million rows are never in memory at once. */
export function* jsonList(members: Iterable<object>): Generator<string> {
  let separator = '[';
  for (const member of members) {
    yield separator + JSON.stringify(member);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

function* each<T>(accounts: Iterable<Account>, list: (account: Account) => Iterable<T>): Generator<T> {
  for (const account of accounts) yield* list(account);
}

export function* truthText(customer: Customer, today: Day): Generator<string> {
  const accounts = [...customer.accounts.values()];
  yield `{"accounts":${JSON.stringify(accounts.map(truthOfAccount))},"transactions":`;
  yield* jsonList(each(accounts, (account) => truthOfRows(account, today)));
  yield ',"closingBalances":';
  yield* jsonList(each(accounts, (account) => truthOfClosings(account, today)));
  yield `,"payments":${JSON.stringify([...customer.payments.values()].map(truthOfPayment))}}`;
}
