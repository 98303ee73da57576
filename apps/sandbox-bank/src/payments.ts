import { availableBalance, type Account } from './account.ts';
import type { Customer } from './bank.ts';
import { dayOf, timeText } from './calendar.ts';
import type { Change, Instruction, Payment } from './changes.ts';
import { parseCents, type Cents } from './money.ts';
import { bookings } from './payment-rows.ts';

type Failure = NonNullable<Payment['failure']>;

/** The accounts and the amount of a payment that can be made; `to` is null where the money leaves the bank. */
type Payable = Readonly<{ from: Account; to: Account | null; cents: Cents }>;

const failure = (code: string, message: string): Failure => ({ code, message });

const receiverOf = (customer: Customer, { beneficiary, toAccountNumber }: Instruction): Account | null | undefined =>
  beneficiary === null ? customer.accounts.get(toAccountNumber ?? '') : null;

const check = (customer: Customer, instruction: Instruction): Payable | Failure => {
  const from = customer.accounts.get(instruction.fromAccountNumber);
  const to = receiverOf(customer, instruction);
  const cents = parseCents(instruction.amount);
  if (from === undefined) return failure('account_closed', 'The paying account is not held with this bank.');
  if (to === undefined) return failure('invalid_destination', 'The receiving account is not held with this bank.');
  if (to === from) return failure('invalid_destination', 'The paying and the receiving account are the same.');
  if (to !== null && from.plan.currency !== to.plan.currency)
    return failure('invalid_destination', `The receiving account is held in ${to.plan.currency}.`);
  if (instruction.currency !== from.plan.currency)
    return failure('rejected_by_bank', `The paying account is held in ${from.plan.currency}.`);
  if (from.plan.type === 'creditCard') return failure('rejected_by_bank', 'A card account makes no transfers.');
  if (cents === undefined || cents <= 0)
    return failure('rejected_by_bank', 'The amount must be more than zero, with at most two decimals.');
  if (cents > availableBalance(from)) return failure('insufficient_funds', 'The available balance is too low.');
  return { from, to, cents };
};

const referenceLetters = { internal: 'IT', external: 'EX' };

type Executed = Readonly<{ payment: Payment; booked: Change[] }>;

const execute = (customer: Customer, payment: Payment, { from, to, cents }: Payable, nowMs: number): Executed => {
  const { connectionId } = customer;
  const day = dayOf(nowMs);
  const letters = referenceLetters[to === null ? 'external' : 'internal'];
  const bankReference = `${letters}${day}${String(customer.payments.size).padStart(6, '0')}`;
  const executed: Payment = { ...payment, status: 'executed', executedAt: timeText(nowMs), bankReference };
  const booking = { connectionId, payment: executed, cents, day, key: `P${payment.reference}` };
  return { payment: executed, booked: bookings(booking, from, to) };
};

/**
 * Transfers between accounts of one customer are executed, or fail, the moment they arrive. What is paid to others waits
 * for the customer's approver.
 */
export const takePayment = (customer: Customer, instruction: Instruction, nowMs: number): Change[] => {
  const { connectionId } = customer;
  const fresh = { receivedAt: timeText(nowMs), executedAt: null, bankReference: null, failure: null };
  const received: Payment = { ...instruction, ...fresh, status: 'received' };
  const forced = customer.nextPayment.failure;
  const outcome =
    forced === null ? check(customer, instruction) : failure(forced, 'The bank was told to fail this payment.');
  if ('code' in outcome)
    return [{ type: 'paymentTaken', connectionId, payment: { ...received, status: 'failed', failure: outcome } }];
  if (outcome.to === null)
    return [{ type: 'paymentTaken', connectionId, payment: { ...received, status: 'awaitingApproval' } }];
  const { payment, booked } = execute(customer, received, outcome, nowMs);
  return [{ type: 'paymentTaken', connectionId, payment }, ...booked];
};

/** What the approver says in the portal. Null: there is nothing to approve. The funds may be gone by then. */
export const judgePayment = (
  customer: Customer,
  payment: Payment,
  { approved, nowMs }: Readonly<{ approved: boolean; nowMs: number }>,
): Change[] | null => {
  const { connectionId } = customer;
  if (payment.status !== 'awaitingApproval') return null;
  if (!approved) {
    const declined = failure('approval_declined', 'The approver declined the payment.');
    return [{ type: 'paymentJudged', connectionId, payment: { ...payment, status: 'declined', failure: declined } }];
  }
  const outcome = check(customer, payment);
  if ('code' in outcome)
    return [{ type: 'paymentJudged', connectionId, payment: { ...payment, status: 'failed', failure: outcome } }];
  const { payment: executed, booked } = execute(customer, payment, outcome, nowMs);
  return [{ type: 'paymentJudged', connectionId, payment: executed }, ...booked];
};

/** The money comes back: it is booked the other way round. Null: there is nothing to return. */
export const returnPayment = (customer: Customer, payment: Payment, nowMs: number): Change[] | null => {
  const { connectionId } = customer;
  const from = customer.accounts.get(payment.fromAccountNumber);
  const to = receiverOf(customer, payment);
  const cents = parseCents(payment.amount);
  if (payment.status !== 'executed' || from === undefined || to === undefined || cents === undefined) return null;
  const returned: Payment = {
    ...payment,
    status: 'returned',
    failure: failure('returned_by_beneficiary', 'The receiving side returned the funds.'),
  };
  const booking = { connectionId, payment: returned, cents: -cents, day: dayOf(nowMs), key: `R${payment.reference}` };
  return [{ type: 'paymentReturned', connectionId, payment: returned }, ...bookings(booking, from, to)];
};
