import { BankFault, type BankAccess, type BankAccount, type BankSession } from '../connector.ts';
import type { Connector, Fetched, RawPage } from '../connector.ts';
import { bankClient, type BankAnswer, type BankClient } from './client.ts';
import { mapAccount, mapPart } from './mapping.ts';
import { partsOf } from './parts.ts';
import { sandboxPayments } from './payments.ts';
import { badAnswer, isDate, listIn, parseMembers } from './records.ts';

type Reader = (path: string) => Promise<BankAnswer>;

const customerPath = ({ connectionId }: BankAccess): string => `/customers/${encodeURIComponent(connectionId)}`;

const countIn = (answer: BankAnswer): number => {
  const text = answer.header('x-row-count') ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw badAnswer(`a page without a row count: "${text.slice(0, 40)}"`);
};

const bankDayOf = ({ balanceAsOf }: BankAccount): string => {
  const day = balanceAsOf?.slice(0, 10) ?? '';
  if (isDate(day)) return day;
  throw badAnswer('an account without the day of its balances');
};

const bookedPage = (account: BankAccount, answer: BankAnswer): RawPage & { range: { from: string; to: string } } => {
  const from = answer.header('x-covered-from') ?? '';
  const to = answer.header('x-covered-to') ?? '';
  if (!isDate(from) || !isDate(to) || from > to) throw badAnswer('a page that does not say which days it covers');
  const parts = partsOf(answer.body, 'booked', countIn(answer));
  return { accountKey: account.key, range: { from, to }, bankDay: bankDayOf(account), parts };
};

/** The page after this one, if there is one: a path of the same bank. */
const nextPath = (answer: BankAnswer): string | undefined => {
  const link = answer.header('link');
  if (link === undefined) return undefined;
  const path = /^<(\/[^/>][^>]*)>; rel="next"$/.exec(link)?.[1];
  if (path === undefined) throw badAnswer(`a link that leads away: ${link.slice(0, 80)}`);
  return path;
};

/** The next page is on its way while this one is booked. Days must follow on one another, so this comes to an end. */
async function* bookedPages(account: BankAccount, firstPath: string, read: Reader): AsyncGenerator<Fetched> {
  let coming: Promise<BankAnswer> | undefined = read(firstPath);
  let coveredTo = '';
  while (coming !== undefined) {
    const answer: BankAnswer = await coming;
    const page = bookedPage(account, answer);
    if (page.range.from <= coveredTo) throw badAnswer(`a page from ${page.range.from} after one to ${coveredTo}`);
    coveredTo = page.range.to;
    const path = nextPath(answer);
    coming = path === undefined ? undefined : read(path);
    // It fails where it is awaited; until then a failure is no unhandled one.
    coming?.catch(() => undefined);
    yield { type: 'page', page };
  }
}

async function* fetchAll(client: BankClient, access: BankAccess, signal: AbortSignal): AsyncGenerator<Fetched> {
  const read: Reader = (path) => client(access.baseUrl, { method: 'GET', path, signal });
  const listing = parseMembers((await read(`${customerPath(access)}/accounts`)).body, 'the list of accounts');
  const accounts = listIn(listing, 'accounts').map(mapAccount);
  for (const account of accounts) yield { type: 'account', account };
  for (const account of accounts) {
    const path = `${customerPath(access)}/accounts/${encodeURIComponent(account.number)}/transactions`;
    yield* bookedPages(account, path, read);
    const pending = await read(`${path}/pending`);
    const parts = partsOf(pending.body, 'pending', countIn(pending));
    const page = { accountKey: account.key, range: { name: 'pending' }, bankDay: bankDayOf(account), parts };
    yield { type: 'page', page };
  }
}

const logIn = async (client: BankClient, access: BankAccess, signal: AbortSignal): Promise<void> => {
  const call = { method: 'POST', path: `${customerPath(access)}/login`, body: access.credentials ?? {} } as const;
  const answer = await client(access.baseUrl, { ...call, signal, expected: [403] });
  if (answer.status !== 403) return;
  const { error } = parseMembers(answer.body, 'a refusal');
  throw new BankFault(error === 'no_rights' ? 'insufficient_rights' : 'access_revoked', 'the login: 403');
};

/**
 * The connector to the sandbox bank's API, to customers of its own or, delegated, as a user of a customer. The README of
 * apps/sandbox-bank describes the other side.
 */
export const sandboxConnector = ({ isDelegated } = { isDelegated: false }): Connector => {
  const client = bankClient({ reuse: true });
  async function* fetch(access: BankAccess, signal: AbortSignal): AsyncGenerator<Fetched> {
    if (isDelegated) await logIn(client, access, signal);
    yield* fetchAll(client, access, signal);
  }
  return {
    name: isDelegated ? 'sandbox-delegated' : 'sandbox',
    isDelegated,
    async prepare(access, signal) {
      const { institutionId } = access;
      const call = { method: 'PUT', path: customerPath(access), body: { institutionId } } as const;
      await client(access.baseUrl, { ...call, ...(signal && { signal }) });
    },
    login: (access, signal) => logIn(client, access, signal),
    open: (access): BankSession => ({ fetch: (signal) => fetch(access, signal), lent: () => [] }),
    // The bank keeps nothing for a sync that would have to be let go.
    settle: () => Promise.resolve(),
    erase: () => Promise.resolve(),
    map: mapPart,
    payments: sandboxPayments(bankClient({ reuse: false })),
  };
};
