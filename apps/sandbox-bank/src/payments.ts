import { availableBalance, type Account } from './account.ts';
import type { Customer } from './bank.ts';
import { dayOf, timeText, type Day } from './calendar.ts';
import type { Change, Payment } from './changes.ts';
import { parseCents, type Cents } from './money.ts';
import type { Row } from './world/row.ts';

export type Instruction = Pick<
  Payment,
  'reference' | 'amount' | 'currency' | 'fromAccountNumber' | 'toAccountNumber' | 'clientReference' | 'memo'
>;

type Failure = NonNullable<Payment['failure']>;

/** Both sides and the amount of a transfer that can be made. */
type Transfer = Readonly<{ from: Account; to: Account; cents: Cents }>;

const failure = (code: string, message: string): Failure => ({ code, message });

const check = (customer: Customer, instruction: Instruction): Transfer | Failure => {
  const from = customer.accounts.get(instruction.fromAccountNumber);
  const to = customer.accounts.get(instruction.toAccountNumber);
  const cents = parseCents(instruction.amount);
  if (from === undefined) return failure('account_closed', 'The paying account is not held with this bank.');
  if (to === undefined) return failure('invalid_destination', 'The receiving account is not held with this bank.');
  if (to === from) return failure('invalid_destination', 'The paying and the receiving account are the same.');
  if (from.plan.currency !== to.plan.currency)
    return failure('invalid_destination', `The receiving account is held in ${to.plan.currency}.`);
  if (instruction.currency !== from.plan.currency)
    return failure('rejected_by_bank', `The paying account is held in ${from.plan.currency}.`);
  if (from.plan.type === 'creditCard') return failure('rejected_by_bank', 'A card account makes no transfers.');
  if (cents === undefined || cents <= 0)
    return failure('rejected_by_bank', 'The amount must be more than zero, with at most two decimals.');
  if (cents > availableBalance(from)) return failure('insufficient_funds', 'The available balance is too low.');
  return { from, to, cents };
};

const lastFour = (number: string): string => number.slice(-4);

const bookTransferCodes = {
  USD: { debit: '506', credit: '206' },
  EUR: { debit: 'PMNT-ICDT-BOOK', credit: 'PMNT-RCDT-BOOK' },
};

const transferRow = (
  entry: Readonly<{ account: Account; other: Account; amount: Cents; day: Day }>,
  payment: Payment,
  key: string,
): Row => {
  const { account, other, amount, day } = entry;
  const isDebit = amount < 0;
  const word = isDebit ? 'to' : 'from';
  return {
    key,
    day,
    valueDay: day,
    amount,
    text: `Transfer ${word} ${other.plan.name} ••••${lastFour(other.number)}`,
    narrative: ['TRANSFER', word.toUpperCase(), other.number, payment.reference, payment.clientReference, payment.memo]
      .filter((part) => part !== null)
      .join(' '),
    rail: 'internalTransfer',
    typeCode: bookTransferCodes[account.plan.currency][isDebit ? 'debit' : 'credit'],
    category: 'transfer',
    subcategory: null,
    mcc: null,
    merchantName: null,
    counterpartyName: other.plan.name,
    counterpartyAccount: lastFour(other.number),
    customerReference: payment.reference,
    bankReference: payment.bankReference,
  };
};

type Booking = Readonly<{ connectionId: string; transfer: Transfer; payment: Payment; day: Day; key: string }>;

const bookings = ({ connectionId, transfer, payment, day, key }: Booking): Change[] => {
  const { from, to, cents } = transfer;
  const debit = transferRow({ account: from, other: to, amount: -cents, day }, payment, key);
  const credit = transferRow({ account: to, other: from, amount: cents, day }, payment, key);
  return [
    { type: 'rowsBooked', connectionId, accountNumber: from.number, rows: [debit] },
    { type: 'rowsBooked', connectionId, accountNumber: to.number, rows: [credit] },
  ];
};

/** Transfers between accounts of one customer are executed, or fail, the moment they arrive. */
export const takePayment = (customer: Customer, instruction: Instruction, nowMs: number): Change[] => {
  const { connectionId } = customer;
  const receivedAt = timeText(nowMs);
  const received = { ...instruction, receivedAt, executedAt: null, bankReference: null, failure: null };
  const outcome = check(customer, instruction);
  if ('code' in outcome)
    return [{ type: 'paymentTaken', connectionId, payment: { ...received, status: 'failed', failure: outcome } }];

  const bankReference = `IT${dayOf(nowMs)}${String(customer.payments.size).padStart(6, '0')}`;
  const payment: Payment = { ...received, status: 'executed', executedAt: receivedAt, bankReference };
  const booking = { connectionId, transfer: outcome, payment, day: dayOf(nowMs), key: `P${payment.reference}` };
  return [{ type: 'paymentTaken', connectionId, payment }, ...bookings(booking)];
};

/** The money comes back: both sides are booked the other way round. Null: there is nothing to return. */
export const returnPayment = (customer: Customer, payment: Payment, nowMs: number): Change[] | null => {
  const { connectionId } = customer;
  const from = customer.accounts.get(payment.fromAccountNumber);
  const to = customer.accounts.get(payment.toAccountNumber);
  const cents = parseCents(payment.amount);
  if (payment.status !== 'executed' || from === undefined || to === undefined || cents === undefined) return null;
  const returned: Payment = {
    ...payment,
    status: 'returned',
    failure: failure('returned_by_beneficiary', 'The receiving side returned the funds.'),
  };
  const transfer = { from, to, cents: -cents };
  const key = `R${payment.reference}`;
  return [
    { type: 'paymentReturned', connectionId, payment: returned },
    ...bookings({ connectionId, transfer, payment: returned, day: dayOf(nowMs), key }),
  ];
};
