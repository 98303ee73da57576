import type { Account } from '../account.ts';
import type { Customer } from '../bank.ts';
import { dayOf, timeText } from '../calendar.ts';
import type { Office } from '../office.ts';
import { returnPayment } from '../payments.ts';
import { scenarios, type Asked } from '../scenarios.ts';
import { jsonList, truthText } from '../truth.ts';
import { json, membersOf, refuse, route, type Answer, type Members, type Request, type Route } from './answer.ts';

const countMax = 50_000;
const secondsMax = 86_400;
const secondsDefault = 10;
/** A century: the clock goes forward only. */
const advanceSecondsMax = 100 * 366 * 86_400;

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
  const { accountNumber, count, seconds = secondsDefault, amountChanges = false } = members;
  const account = accountAsked(customer, accountNumber);
  if (account === undefined) return 'accountNumber: the customer has no such account';
  if (count !== undefined && !(Number.isInteger(count) && isNumberTo(count, countMax) && count > 0))
    return `count: a whole number, 1 to ${countMax}`;
  if (!isNumberTo(seconds, secondsMax)) return `seconds: a number, 0 to ${secondsMax}`;
  if (typeof amountChanges !== 'boolean') return 'amountChanges: true or false';
  const nowMs = office.nowMs();
  return { customer, account, isAccountNamed: accountNumber !== undefined, count, seconds, amountChanges, nowMs };
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

/** Transfers between a customer's own accounts ask for no approval, so there is never one to give. */
const judgePayment =
  (office: Office) =>
  ({ params }: Request): Answer => {
    const reference = params['reference'] ?? '';
    const payment = office.bank.payers.get(reference)?.payments.get(reference);
    if (payment === undefined) return unknownPayment();
    return refuse(409, 'not_awaiting_approval', `The payment is ${payment.status}.`);
  };

const takeBack =
  (office: Office) =>
  ({ params }: Request): Answer => {
    const reference = params['reference'] ?? '';
    const payer = office.bank.payers.get(reference);
    const payment = payer?.payments.get(reference);
    if (payer === undefined || payment === undefined) return unknownPayment();
    const changes = returnPayment(payer, payment, office.nowMs());
    if (changes === null) return refuse(409, 'not_executed', `The payment is ${payment.status}.`);
    office.record(changes);
    return json(200, { reference, status: 'returned' });
  };

/** What makes things happen at the bank, and tells what is so. Shapes and names are promised to others. */
export const controlApi = (office: Office): readonly Route[] => [
  route('GET', '/control/clock', showClock(office)),
  route('POST', '/control/clock/advance', advanceClock(office)),
  route('GET', '/control/connections/:id', showTruth(office)),
  route('POST', '/control/connections/:id/scenarios/:scenario', playScenario(office)),
  route('POST', '/control/payments/:reference/approve', judgePayment(office)),
  route('POST', '/control/payments/:reference/decline', judgePayment(office)),
  route('POST', '/control/payments/:reference/return', takeBack(office)),
];
