import { canonical } from '@causeway/money';
import { imprintOf, type Digest, type Imprint } from './imprint.ts';
import type { LedgerEvent, Seen, SeenStatus } from './ledger.events.ts';

export type KnownStatus = SeenStatus | 'cancelled' | 'withdrawn';

/** One transaction as the identity index knows it: a fold of the account's stream, cut down to what a page needs. */
export type KnownRow = Readonly<{
  transactionId: string;
  status: KnownStatus;
  bankId: string | null;
  day: string;
  postedDate: string | null;
  amount: string;
  print: Imprint;
}>;

/** What an event does to the index: a row as it is now, or only its status. */
export type IdentityChange =
  Readonly<{ type: 'row'; row: KnownRow }> | Readonly<{ type: 'gone'; transactionId: string; status: KnownStatus }>;

export const knownAs = (seen: Seen, status: SeenStatus, print: Imprint): KnownRow => ({
  transactionId: seen.transactionId,
  status,
  bankId: seen.bankId,
  day: seen.day,
  postedDate: seen.content.postedDate,
  amount: seen.content.amount,
  print,
});

/** A posted row has a posted date, a pending one has none. */
const statusOf = ({ content }: Seen): SeenStatus => (content.postedDate === null ? 'pending' : 'posted');

/** Undefined: the event says nothing of a transaction. */
export const identityChange = (event: LedgerEvent, digest: Digest): IdentityChange | undefined => {
  switch (event.type) {
    case 'TransactionRecorded':
    case 'TransactionReinstated':
    case 'TransactionPosted':
    case 'TransactionRestated':
    case 'TransactionRelabelled': {
      const status = statusOf(event.data);
      return { type: 'row', row: knownAs(event.data, status, imprintOf({ ...event.data, status }, digest)) };
    }
    case 'TransactionCancelled':
      return { type: 'gone', transactionId: event.data.transactionId, status: 'cancelled' };
    case 'TransactionWithdrawn':
      return { type: 'gone', transactionId: event.data.transactionId, status: 'withdrawn' };
    case 'LedgerOpened':
    case 'BalanceReported':
      return undefined;
  }
};

/** Whether a client of the feed sees the event: what a run's changes are counted by. */
export const isVisibleChange = ({ type }: LedgerEvent): boolean =>
  type !== 'LedgerOpened' && type !== 'BalanceReported' && type !== 'TransactionRelabelled';

/** For rows whose imprint is put together from what was kept of it. */
export const amountKeyOf = canonical;

export const sameAmount = (a: string, b: string): boolean => a === b || canonical(a) === canonical(b);
