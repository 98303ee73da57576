import { assertNever } from '@causeway/event-sourcing';
import { canonical } from '@causeway/money';
import { imprintOf, type Digest, type Imprint } from './imprint.ts';
import type { LedgerEvent, Seen, SeenStatus } from './ledger.events.ts';
import type { Place } from './place.ts';

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
  /** The newest page that changed it, or that showed it on a day that it does not cover. */
  place: Place;
  /** The transaction that it took back, as its counter-row. */
  reverses: string | null;
}>;

/**
 * What an event does to the index: a row as it is now, whatever it reverses; its status when it goes, and then it reverses
 * nothing; what it reverses; or only the place of some.
 */
export type IdentityChange =
  | Readonly<{ type: 'row'; row: KnownRow }>
  | Readonly<{ type: 'gone'; transactionId: string; status: KnownStatus; place: Place }>
  | Readonly<{ type: 'counter'; transactionId: string; reverses: string }>
  | Readonly<{ type: 'shown'; transactionIds: readonly string[]; place: Place }>;

export const knownAs = (seen: Seen, status: SeenStatus, print: Imprint, place: Place): KnownRow => ({
  transactionId: seen.transactionId,
  status,
  bankId: seen.bankId,
  day: seen.day,
  postedDate: seen.content.postedDate,
  amount: seen.content.amount,
  print,
  place,
  reverses: null,
});

/** A posted row has a posted date, a pending one has none. */
const statusOf = ({ content }: Seen): SeenStatus => (content.postedDate === null ? 'pending' : 'posted');

/** Undefined: the event says nothing of a transaction. `place`: of the page that led to it. */
export const identityChange = (event: LedgerEvent, place: Place, digest: Digest): IdentityChange | undefined => {
  switch (event.type) {
    case 'TransactionRecorded':
    case 'TransactionReinstated':
    case 'TransactionPosted':
    case 'TransactionRestated':
    case 'TransactionRemapped':
    case 'TransactionRelabelled': {
      const status = statusOf(event.data);
      return { type: 'row', row: knownAs(event.data, status, imprintOf({ ...event.data, status }, digest), place) };
    }
    case 'TransactionCancelled':
      return { type: 'gone', transactionId: event.data.transactionId, status: 'cancelled', place };
    case 'TransactionWithdrawn':
      return { type: 'gone', transactionId: event.data.transactionId, status: 'withdrawn', place };
    case 'TransactionReversed':
      return { type: 'counter', transactionId: event.data.counterId, reverses: event.data.transactionId };
    case 'PageBooked':
      return { type: 'shown', transactionIds: event.data.shown, place };
    case 'LedgerOpened':
    case 'TransactionReversalWithdrawn':
    case 'BalanceReported':
    case 'BalanceRemapped':
    case 'TransactionCorrected':
    case 'BalanceCorrected':
      return undefined;
    default:
      return assertNever(event);
  }
};

const ofPeople: readonly LedgerEvent['type'][] = [
  'TransactionRemapped',
  'BalanceRemapped',
  'TransactionCorrected',
  'BalanceCorrected',
];

/** Whether a page of a run led to the event. What people had done makes no row newer than the pages that showed it. */
export const isOfPage = ({ type }: LedgerEvent): boolean => !ofPeople.includes(type);

const unseen: readonly LedgerEvent['type'][] = [
  'LedgerOpened',
  'BalanceReported',
  'TransactionRelabelled',
  'PageBooked',
];

/** Whether a client of the feed sees the event: what a run's changes are counted by. */
export const isVisibleChange = (event: LedgerEvent): boolean => isOfPage(event) && !unseen.includes(event.type);

/** For rows whose imprint is put together from what was kept of it. */
export const amountKeyOf = canonical;

export const sameAmount = (a: string, b: string): boolean => a === b || canonical(a) === canonical(b);
