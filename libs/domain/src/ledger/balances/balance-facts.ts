import { assertNever } from '@causeway/event-sourcing';
import { negate } from '@causeway/money';
import type { AnsweredBalance, LedgerEvent, Seen } from '../ledger.events.ts';

/**
 * `moved`: posted rows of the date add up to so much more. `stated`, `remapped`: the bank's own closing balance of the
 * date, as it was first read or as it is read now. `corrected`: it counts as changed, whatever it is; `answered`: the
 * versions of it that were answered until then.
 */
export type BalanceFact =
  | Readonly<{ kind: 'moved' | 'stated' | 'remapped'; date: string; amount: string }>
  | Readonly<{ kind: 'corrected'; date: string; answered: readonly AnsweredBalance[] }>;

/**
 * The facts of one event, and its `recordedAt`. `place`: of the page that led to it, null where none did; `reason`,
 * `operator`: of the person who had it done.
 */
export type BalanceChange = Readonly<{
  at: string;
  facts: readonly BalanceFact[];
  eventId: string;
  place: string | null;
  reason: string | null;
  operator: string | null;
}>;

type Counted = Readonly<{ status: string; postedDate: string | null; amount: string }>;

const counted = ({ content: { postedDate, amount } }: Seen, status: string): Counted => ({
  status,
  postedDate,
  amount,
});

/** Pending and cancelled rows move nothing. */
const moved = ({ status, postedDate, amount }: Counted, sign: 1 | -1): readonly BalanceFact[] =>
  status === 'posted' && postedDate !== null
    ? [{ kind: 'moved', date: postedDate, amount: sign === 1 ? amount : negate(amount) }]
    : [];

const replaced = (previous: Counted, now: Counted): readonly BalanceFact[] => {
  const same =
    previous.status === now.status && previous.postedDate === now.postedDate && previous.amount === now.amount;
  return same ? [] : [...moved(previous, -1), ...moved(now, 1)];
};

/**
 * A date outside is a slip of the bank's, and a row for each day up to it could be millions. The transaction itself shows
 * the date as the bank wrote it.
 */
const firstDate = '1900-01-01';
const lastDate = '2099-12-31';

/** What an event means for the daily balances of its account. */
export const balanceFactsOf = (event: LedgerEvent): readonly BalanceFact[] =>
  factsOf(event).filter(({ date }) => date >= firstDate && date <= lastDate);

const factsOf = (event: LedgerEvent): readonly BalanceFact[] => {
  switch (event.type) {
    case 'TransactionRecorded':
    case 'TransactionReinstated':
      return moved(counted(event.data, event.data.status), 1);
    case 'TransactionPosted':
      return replaced(event.data.previous, counted(event.data, 'posted'));
    case 'TransactionRestated':
    case 'TransactionRemapped':
      return replaced(event.data.previous, counted(event.data, event.data.status));
    case 'TransactionWithdrawn':
      return moved(event.data.previous, -1);
    case 'BalanceReported':
      return [{ kind: 'stated', date: event.data.date, amount: event.data.amount }];
    case 'BalanceRemapped':
      return [{ kind: 'remapped', date: event.data.date, amount: event.data.amount }];
    case 'BalanceCorrected':
      return [{ kind: 'corrected', date: event.data.date, answered: event.data.answered }];
    case 'LedgerOpened':
    case 'TransactionRelabelled':
    case 'TransactionCancelled':
    // Both rows are in the bank's books.
    case 'TransactionReversed':
    case 'TransactionReversalWithdrawn':
    case 'PageBooked':
    case 'TransactionCorrected':
      return [];
    default:
      return assertNever(event);
  }
};
