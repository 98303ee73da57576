import { availableBalance, ledgerBalance, type Account } from '../account.ts';
import type { Customer } from '../bank.ts';
import { dayOf, dayText, parseDay, timeText } from '../calendar.ts';
import { centsText } from '../money.ts';
import type { Office } from '../office.ts';
import { bookedPage, pendingPage } from '../pages.ts';
import { takePayment } from '../payments.ts';
import { instructionIn } from './instruction.ts';
import { routingNumber, swiftBic } from '../world/account-number.ts';
import { isInstitutionId } from '../world/institutions.ts';
import { json, membersOf, refuse, route, type Answer, type Request, type Route } from './answer.ts';

const slowAnswerMs = 3_000;
/** A slow bank takes this long to find the customer's accounts, the first thing a sync asks for. */
const slowListingMs = 3_000;

type Handle = (customer: Customer, request: Request) => Answer;

const accountShown = (account: Account) => ({
  number: account.number,
  type: account.plan.type,
  currency: account.plan.currency,
  name: account.plan.name,
  officialName: account.plan.officialName,
  status: 'open',
  routingNumber: account.plan.currency === 'USD' ? routingNumber : null,
  bic: swiftBic,
  ledgerBalance: centsText(ledgerBalance(account)),
  availableBalance: centsText(availableBalance(account)),
  // When they last moved, not when they were asked for: an unchanged account reads the same.
  balancesAsOf: timeText(account.counters.movedAtMs),
});

const listAccounts: Handle = (customer) => ({
  ...json(200, { accounts: [...customer.accounts.values()].map(accountShown) }),
  afterMs: customer.institutionId === 'sandbox-slow' ? slowListingMs : 0,
});

const listPending: Handle = (customer, { params }) => {
  const account = customer.accounts.get(params['number'] ?? '');
  if (account === undefined) return refuse(404, 'unknown_account', 'The customer has no such account.');
  const { rowCount, text } = pendingPage(account);
  return { status: 200, headers: { 'x-row-count': String(rowCount) }, body: text };
};

const listBooked =
  (office: Office): Handle =>
  (customer, { params, query }) => {
    const account = customer.accounts.get(params['number'] ?? '');
    if (account === undefined) return refuse(404, 'unknown_account', 'The customer has no such account.');
    const today = Math.max(dayOf(office.nowMs()), account.history.lastDay);
    const { firstDay } = account.history;
    const asked = query.get('from');
    const from = asked === null ? firstDay : parseDay(asked);
    if (from === undefined || from < firstDay || from > today)
      return refuse(400, 'bad_from', `from is a day, ${dayText(firstDay)} to ${dayText(today)}.`);
    const page = bookedPage(account, from, today);
    const path = `/customers/${encodeURIComponent(customer.connectionId)}/accounts/${account.number}/transactions`;
    const headers = {
      'x-row-count': String(page.rowCount),
      'x-covered-from': dayText(page.from),
      'x-covered-to': dayText(page.to),
      ...(page.to < today ? { link: `<${path}?from=${dayText(page.to + 1)}>; rel="next"` } : {}),
    };
    return { status: 200, headers, body: page.text };
  };

const openCustomer =
  (office: Office) =>
  (request: Request): Answer => {
    const connectionId = request.params['id'] ?? '';
    const institutionId = membersOf(request.body)?.['institutionId'];
    if (!isInstitutionId(institutionId)) return refuse(400, 'unknown_institution', 'This bank is no such institution.');
    if (office.bank.customers.has(connectionId))
      return ofCustomer(office, (known) =>
        known.institutionId === institutionId
          ? json(200, { connectionId, institutionId })
          : refuse(409, 'other_institution', `The customer is with ${known.institutionId}.`),
      )(request);
    const { seed, largeRows } = office;
    const day = dayOf(office.nowMs());
    office.record([{ type: 'customerOpened', connectionId, institutionId, seed, largeRows, day }]);
    return json(201, { connectionId, institutionId });
  };

/** One payment per reference, ever: the same reference again is answered with what became of the first. */
const pay =
  (office: Office): Handle =>
  (customer, { body }) => {
    const instruction = instructionIn(body);
    if (instruction === undefined)
      return refuse(
        400,
        'bad_instruction',
        'reference, amount, currency, fromAccountNumber: texts; toAccountNumber or beneficiary.',
      );
    const payer = office.bank.payers.get(instruction.reference);
    if (payer !== undefined && payer !== customer)
      return refuse(409, 'reference_taken', 'The reference names a payment of another customer.');
    const earlier = customer.payments.get(instruction.reference);
    if (earlier !== undefined) return json(200, earlier);

    const { fate } = customer.nextAnswer;
    office.record(takePayment(customer, instruction, office.nowMs()));
    const taken = customer.payments.get(instruction.reference);
    if (taken === undefined) throw new Error(`payment ${instruction.reference} was not kept`);
    return { ...json(201, taken), ...(fate === null ? {} : { fate }) };
  };

const showPayment: Handle = (customer, { params }) => {
  const payment = customer.payments.get(params['reference'] ?? '');
  if (payment === undefined) return refuse(404, 'unknown_payment', 'The bank has never seen this reference.');
  return json(200, payment);
};

/** A delegated user is known by the name that it logs in with; who it is elsewhere nobody asks. */
const logIn: Handle = ({ institutionId }, { body }) => {
  const members = membersOf(body);
  if (members === undefined) return refuse(400, 'bad_login', 'the body is not an object');
  const bankUsername = institutionId === 'sandbox-delegated' ? members['bankUsername'] : undefined;
  if (bankUsername === 'reject-login') return refuse(401, 'login_refused', 'The bank does not know this user.');
  if (bankUsername === 'no-rights') return refuse(403, 'no_rights', 'The user may see no account.');
  return json(200, {});
};

/** Later, in seconds. */
const tryAfter = (answer: Answer, ms: number): Answer => ({
  ...answer,
  headers: { 'retry-after': String(Math.ceil(ms / 1000)) },
});

/** Why the bank does nothing for a customer now. */
const turnedAway = ({ outages, login }: Customer, nowMs: number): Answer | undefined => {
  if (nowMs < outages.down) return tryAfter(refuse(503, 'down', 'The bank is down.'), outages.down - nowMs);
  if (nowMs < outages.limited) {
    return tryAfter(refuse(429, 'too_many_requests', 'Too many requests.'), outages.limited - nowMs);
  }
  if (login.access === 'withdrawn') return refuse(403, 'access_withdrawn', 'The access was withdrawn.');
  return login.access === 'lapsed' ? refuse(401, 'login_refused', 'The login has lapsed.') : undefined;
};

/** What turns a customer away takes away everything; a slow bank does at once what it is asked and is late with the answer. */
const ofCustomer =
  (office: Office, handle: Handle) =>
  (request: Request): Answer => {
    const customer = office.bank.customers.get(request.params['id'] ?? '');
    if (customer === undefined) return refuse(404, 'unknown_customer', 'The bank has no such customer.');
    const now = office.nowMs();
    const refusal = turnedAway(customer, now);
    if (refusal !== undefined) return refusal;
    const answer = handle(customer, request);
    return now < customer.outages.slow ? { ...answer, afterMs: Math.max(slowAnswerMs, answer.afterMs ?? 0) } : answer;
  };

/** What the bank offers its customers' software. The README of this app describes it. */
export const bankApi = (office: Office): readonly Route[] => [
  route('GET', '/clock', () => json(200, { now: timeText(office.nowMs()) })),
  route('PUT', '/customers/:id', openCustomer(office)),
  route('POST', '/customers/:id/login', ofCustomer(office, logIn)),
  route('GET', '/customers/:id/accounts', ofCustomer(office, listAccounts)),
  route('GET', '/customers/:id/accounts/:number/transactions', ofCustomer(office, listBooked(office))),
  route('GET', '/customers/:id/accounts/:number/transactions/pending', ofCustomer(office, listPending)),
  route('POST', '/customers/:id/payments', ofCustomer(office, pay(office))),
  route('GET', '/customers/:id/payments/:reference', ofCustomer(office, showPayment)),
];
