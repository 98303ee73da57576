import type { BankAccess, PaymentOrder, PaymentState, Payments } from '../connector.ts';
import type { BankAnswer, BankClient } from './client.ts';
import { asMembers, badAnswer, isDate, parseMembers, textIn } from './records.ts';

const stateIn = (answer: BankAnswer, reference: string): PaymentState => {
  const payment = parseMembers(answer.body, 'a payment');
  if (textIn(payment, 'reference') !== reference) throw badAnswer(`an answer about another payment than ${reference}`);
  const status = textIn(payment, 'status');
  switch (status) {
    case 'received':
    case 'awaitingApproval':
    case 'executed':
      return { status };
    case 'declined':
    case 'failed':
    case 'returned':
      return { status, code: textIn(asMembers(payment['failure'], 'failure'), 'code') };
    default:
      throw badAnswer(`a payment that is ${status.slice(0, 40)}`);
  }
};

const paymentsPath = ({ connectionId }: BankAccess): string =>
  `/customers/${encodeURIComponent(connectionId)}/payments`;

/** As the bank writes it: the accounts of its own by their number, others by name and identifiers. */
const instruction = ({ to, ...order }: PaymentOrder): object =>
  'payee' in to ? { ...order, beneficiary: to.payee } : { ...order, toAccountNumber: to.accountNumber };

/** The bank's clock can be set forward at any time. */
const lookAgainMs = 2000;

/** Payments go over connections of their own: a stray second answer never meets another question. */
export const sandboxPayments = (client: BankClient): Payments => ({
  rails: ['internal', 'ach', 'wire', 'swift', 'fednow', 'rtp', 'sepa', 'local'],
  async pay(access, order, signal) {
    const body = instruction(order);
    const answer = await client(access.baseUrl, { method: 'POST', path: paymentsPath(access), body, signal });
    return stateIn(answer, order.reference);
  },
  async stateOf(access, reference, signal) {
    const path = `${paymentsPath(access)}/${encodeURIComponent(reference)}`;
    const answer = await client(access.baseUrl, { method: 'GET', path, signal, expected: [404] });
    if (answer.status !== 404) return stateIn(answer, reference);
    if (parseMembers(answer.body, 'a refusal')['error'] === 'unknown_payment') return { status: 'unknown' };
    throw badAnswer(`asked for ${reference}: the bank does not know the customer`);
  },
  async day({ baseUrl }, signal) {
    const answer = await client(baseUrl, { method: 'GET', path: '/clock', signal });
    const today = textIn(parseMembers(answer.body, 'the time'), 'now').slice(0, 10);
    if (!isDate(today)) throw badAnswer('a clock without a date');
    return { today, lookAgainMs };
  },
});
