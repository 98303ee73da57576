import { BankFault, type BankAccount, type BankSession, type Fetched, type RawPage } from '@causeway/bank-connectors';
import { createHash } from 'node:crypto';
import { v5 as uuidV5 } from 'uuid';
import { loginAt } from '../commands/bank.ts';
import { untilBookedOf } from './back-pressure.ts';
import { rangeKey } from './kept-pages.ts';
import type { RunJournal } from './run-journal.ts';
import type { Found, SyncParts } from './sync-parts.ts';

/** The id of an account: from the bank's own name for it, within its connection. */
export const accountIdOf = (connectionId: string, key: string): string => uuidV5(`account|${key}`, connectionId);

/**
 * Asks the bank for everything it has and sends on what is new: a page whose bytes are those of the newest page kept for
 * its account and range is passed over. Holds the page in hand and the names of those kept. Resolves to what the bank
 * lent for it.
 */
export const fetchInto = async (
  parts: SyncParts,
  found: Found,
  journal: RunJournal,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const bank = await loginAt(parts, found.run.connectionId, found.state);
  if (bank === undefined) throw new BankFault('unavailable', 'No connector.');
  const { connector, access } = bank;
  await connector.prepare(access, signal);
  const session = connector.open(access);

  const accounts = new Map<string, BankAccount>();
  const add = pageAdder(parts, found, journal);
  const untilBooked = untilBookedOf(parts, found.run.runId);
  for await (const fetched of heard(session, parts.silenceMaxMs, signal)) {
    if (fetched.type === 'account') {
      await observe(parts, found, fetched.account);
      accounts.set(fetched.account.key, fetched.account);
      continue;
    }
    const account = accounts.get(fetched.page.accountKey);
    if (account === undefined) throw new BankFault('bad_answer', 'A page of an account that the bank did not show.');
    await add(account, fetched.page);
    await untilBooked(journal.sentBytes(), signal);
  }
  return session.lent();
};

/** Ends with a fault when nothing has come for too long. What we do between two answers is no silence of the bank. */
async function* heard(session: BankSession, silenceMaxMs: number, outer: AbortSignal): AsyncGenerator<Fetched> {
  const silence = new AbortController();
  const listen = () => setTimeout(() => silence.abort(), silenceMaxMs);
  let timer = listen();
  try {
    for await (const fetched of session.fetch(AbortSignal.any([outer, silence.signal]))) {
      clearTimeout(timer);
      outer.throwIfAborted();
      yield fetched;
      timer = listen();
    }
  } catch (error) {
    if (silence.signal.aborted && !outer.aborted) {
      throw new BankFault('unavailable', 'The bank was silent for too long.', { cause: error });
    }
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** It was deleted while its run went on, perhaps by another process. */
export class ConnectionGone extends Error {}

/** The connection hears of the account first, so that erasure finds its stream. */
const observe = async (
  { aggregates, now }: SyncParts,
  { run: { connectionId, entityId }, state, context }: Found,
  { key, currency, ...details }: BankAccount,
): Promise<void> => {
  const accountId = accountIdOf(connectionId, key);
  const at = now();
  if (!state.accountIds.includes(accountId)) {
    const decision = await aggregates.connection({ type: 'RecordAccount', connectionId, accountId, at }, context);
    if (decision.outcome === 'rejected') throw new ConnectionGone(connectionId);
  }
  const its = { accountId, scope: state.scope, entityId, connectionId, key, currency, details, at };
  await aggregates.account({ type: 'ObserveAccount', ...its }, { ...context, dataKey: connectionId });
};

/** Adds a page to the run, unless it is kept already. */
const pageAdder = ({ kept }: SyncParts, { run }: Found, journal: RunJournal) => {
  const known = new Map<string, Map<string, string>>();
  const knownOf = async (accountId: string): Promise<Map<string, string>> => {
    const pages = known.get(accountId) ?? (await kept.ofAccount(accountId));
    known.set(accountId, pages);
    return pages;
  };
  return async ({ key, currency }: BankAccount, { range, bankDay, parts }: RawPage): Promise<void> => {
    const accountId = accountIdOf(run.connectionId, key);
    const pages = await knownOf(accountId);
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    const sha256 = hash.digest('hex');
    if (pages.get(rangeKey(range)) === sha256) return;
    await journal.add({ accountId, currency, range, bankDay, sha256, parts });
    // What it replaced beyond its own range is known to the table; within a run the bank names no day twice.
    pages.set(rangeKey(range), sha256);
  };
};
