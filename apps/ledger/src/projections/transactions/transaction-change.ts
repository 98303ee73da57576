import type { AnsweredTransaction, ErasureEvent, LedgerEvent } from '@causeway/domain/ledger';
import { assertNever, timestampOf, type Sequenced } from '@causeway/event-sourcing';
import type { TransactionEvent } from './transaction-event.ts';
import type { TransactionRow } from './transactions.table.ts';

type OfRow =
  Extract<LedgerEvent, { data: { transactionId: string } }> | Extract<ErasureEvent, { type: 'TransactionsRemoved' }>;

/** A row that was cancelled or reversed, and is as it was before, is reinstated. Null: it was recorded, or is erased. */
const causeOf = (event: OfRow): TransactionRow['cause'] => {
  switch (event.type) {
    case 'TransactionPosted':
      return 'posted';
    case 'TransactionRestated':
      return event.data.previous.status === 'cancelled' ? 'reinstated' : 'restated';
    case 'TransactionReinstated':
    case 'TransactionReversalWithdrawn':
      return 'reinstated';
    case 'TransactionReversed':
      return 'reversed';
    case 'TransactionCancelled':
      return 'cancelled';
    case 'TransactionWithdrawn':
      return 'withdrawn';
    case 'TransactionRemapped':
      return 'remapped';
    case 'TransactionCorrected':
      return 'corrected';
    case 'TransactionRecorded':
    case 'TransactionRelabelled':
    case 'TransactionsRemoved':
      return null;
    default:
      return assertNever(event);
  }
};

export type Change = Pick<TransactionRow, 'updatedAt' | 'eventId' | 'cause' | 'reason' | 'operator'>;

export const changeBy = (event: Sequenced<OfRow>): Change => {
  const { reason = null, operator = null } = event.data as { reason?: string; operator?: string };
  return { updatedAt: timestampOf(event.recordedAt), eventId: event.id, cause: causeOf(event), reason, operator };
};

type Told = Partial<Pick<TransactionRow, 'status' | 'rail'>> & Readonly<{ postedDate?: string; updatedAt: string }>;

/** A row as it was answered, from its text; `now`: whose it is. */
const answeredAs = (now: TransactionRow, { json, eventId, cause, reason, operator }: AnsweredTransaction) => {
  const { status = null, rail = null, postedDate, updatedAt } = JSON.parse(json) as Told;
  const removed = status === null;
  const sortDate = removed ? null : (postedDate ?? 'infinity');
  const because = { cause: cause === 'recorded' ? null : cause, reason, operator };
  return { ...now, status, rail, sortDate, updatedAt, eventId, ...because, removed, json };
};

/** The versions of a row that an event puts in place of all there were. Of an erased one none are left. */
export const versionsReplacedBy = (
  event: Sequenced<TransactionEvent>,
  after: TransactionRow,
): readonly TransactionRow[] | undefined => {
  if (event.type === 'TransactionsRemoved') return [];
  return event.type === 'TransactionCorrected' ? event.data.answered.map((each) => answeredAs(after, each)) : undefined;
};

/** A version as a correction keeps it. */
export const answeredBy = ({ json, eventId, cause, reason, operator }: TransactionRow): AnsweredTransaction => ({
  ...{ cause: cause ?? 'recorded', reason, operator },
  ...{ eventId, json },
});
