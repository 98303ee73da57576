import type { Account } from '../account.ts';
import type { Customer } from '../bank.ts';
import { dayOf, timeText } from '../calendar.ts';
import type { Office } from '../office.ts';
import { judgePayment, returnPayment } from '../payments.ts';
import type { Change, Payment } from '../changes.ts';
import { scenarios, type Asked } from '../scenarios.ts';
import { jsonList, truthText } from '../truth.ts';
import { json, membersOf, refuse, route, type Answer, type Members, type Request, type Route } from './answer.ts';

const countMax = 50_000;
const secondsMax = 86_400;
const secondsDefault = 10;
/** A century: the clock goes forward only. */
const advanceSecondsMax = 100 * 366 * 86_400;

/** What a payment can be made to fail with; the first when nothing is said. */
const failureCodes = [
  'rejected_by_bank',
  'insufficient_funds',
  'account_closed',
  'invalid_destination',
  'limit_exceeded',
];

const unknownConnection = () => refuse(404, 'unknown_connection', 'The bank has no customer for this connection.');

const isNumberTo = (value: unknown, most: number): value is number =>
  typeof value === 'number' && value >= 0 && value <= most;

const accountAsked = (customer: Customer, number: unknown): Account | undefined => {
  if (typeof number === 'string') return customer.accounts.get(number);
  const accounts = [...customer.accounts.values()];
  return number === undefined ? accounts.find(({ plan }) => plan.type === 'checking') : undefined;
};

/** What is wrong with the body, or what it asks for. */
const readAsked = (office: Office, customer: Customer, members: Members): Asked | string => {
  const { accountNumber, count, seconds = secondsDefault, amountChanges = false, code = failureCodes[0] } = members;
  const account = accountAsked(customer, accountNumber);
  if (account === undefined) return 'accountNumber: the customer has no such account';
  if (count !== undefined && !(Number.isInteger(count) && isNumberTo(count, countMax) && count > 0))
    return `count: a whole number, 1 to ${countMax}`;
  if (!isNumberTo(seconds, secondsMax)) return `seconds: a number, 0 to ${secondsMax}`;
  if (typeof amountChanges !== 'boolean') return 'amountChanges: true or false';
  const failure = failureCodes.find((known) => known === code);
  if (failure === undefined) return `code: ${failureCodes.join(', ')}`;
  const isAccountNamed = accountNumber !== undefined;
  return { customer, account, isAccountNamed, count, seconds, amountChanges, code: failure, nowMs: office.nowMs() };
};

const playScenario =
  (office: Office) =>
  ({ params, body }: Request): Answer => {
    const customer = office.bank.customers.get(params['id'] ?? '');
    if (customer === undefined) return unknownConnection();
    const play = scenarios.get(params['scenario'] ?? '');
    if (play === undefined)
      return refuse(404, 'unknown_scenario', `This bank plays ${[...scenarios.keys()].join(', ')}.`);
    const members = membersOf(body);
    const asked = members === undefined ? 'the body is not an object' : readAsked(office, customer, members);
    if (typeof asked === 'string') return refuse(400, 'bad_scenario', asked);

    const { changes, changed } = play(asked);
    office.record(changes);
    return { status: 200, body: wrapped(changed()) };
  };

function* wrapped(changed: Iterable<object>): Generator<string> {
  yield '{"changed":';
  yield* jsonList(changed);
  yield '}';
}

const showTruth =
  (office: Office) =>
  ({ params }: Request): Answer => {
    const customer = office.bank.customers.get(params['id'] ?? '');
    if (customer === undefined) return unknownConnection();
    return { status: 200, body: truthText(customer, dayOf(office.nowMs())) };
  };

const showClock = (office: Office) => (): Answer =>
  json(200, { now: timeText(office.nowMs()), aheadSeconds: office.bank.clock.aheadMs / 1000 });

const advanceClock =
  (office: Office) =>
  ({ body }: Request): Answer => {
    const { days = 0, hours = 0, seconds = 0 } = membersOf(body) ?? { days: null };
    const most = advanceSecondsMax;
    if (!isNumberTo(days, most) || !isNumberTo(hours, most) || !isNumberTo(seconds, most))
      return refuse(400, 'bad_advance', 'days, hours, seconds: numbers, not below zero.');
    const total = days * 86_400 + hours * 3_600 + seconds;
    if (office.bank.clock.aheadMs / 1000 + total > most)
      return refuse(400, 'bad_advance', 'The clock goes at most a century ahead.');
    office.record([{ type: 'clockAdvanced', byMs: Math.round(total * 1000) }]);
    return showClock(office)();
  };

const unknownPayment = () => refuse(404, 'unknown_payment', 'The bank has never seen this transfer.');

const notAwaiting = 'not_awaiting_approval';

type Judge = (payer: Customer, payment: Payment, nowMs: number) => readonly Change[] | null;

/** By the reference of an attempt; a transfer's own is that of its newest. `refusal`: where `judge` finds nothing to do. */
const onPayment =
  (office: Office, judge: Judge, refusal: string) =>
  ({ params }: Request): Answer => {
    const asked = params['reference'] ?? '';
    const { payers, newest } = office.bank;
    const reference = newest.get(asked) ?? asked;
    const payer = payers.get(reference);
    const payment = payer?.payments.get(reference);
    if (payer === undefined || payment === undefined) return unknownPayment();
    const changes = judge(payer, payment, office.nowMs());
    if (changes === null) return refuse(409, refusal, `The payment is ${payment.status}.`);
    office.record(changes);
    return json(200, { reference, status: payer.payments.get(reference)?.status });
  };

const say =
  (approved: boolean): Judge =>
  (payer, payment, nowMs) =>
    judgePayment(payer, payment, { approved, nowMs });

/** What makes things happen at the bank, and tells what is so. Shapes and names are promised to others. */
export const controlApi = (office: Office): readonly Route[] => [
  route('GET', '/control/clock', showClock(office)),
  route('POST', '/control/clock/advance', advanceClock(office)),
  route('GET', '/control/connections/:id', showTruth(office)),
  route('POST', '/control/connections/:id/scenarios/:scenario', playScenario(office)),
  route('POST', '/control/payments/:reference/approve', onPayment(office, say(true), notAwaiting)),
  route('POST', '/control/payments/:reference/decline', onPayment(office, say(false), notAwaiting)),
  route('POST', '/control/payments/:reference/return', onPayment(office, returnPayment, 'not_executed')),
];
