import type { ErasureEvent, LedgerEvent } from '@causeway/domain/ledger';
import { idOf, timestampOf, type Sequenced } from '@causeway/event-sourcing';
import { noContent, type TransactionRow } from './transactions.table.ts';

export type TransactionEvent = LedgerEvent | ErasureEvent;

/** The transactions an event is about. */
export const transactionsOf = ({ type, data }: TransactionEvent): readonly string[] => {
  switch (type) {
    case 'TransactionRecorded':
    case 'TransactionReinstated':
    case 'TransactionPosted':
    case 'TransactionRestated':
    case 'TransactionCancelled':
    case 'TransactionWithdrawn':
      return [data.transactionId];
    case 'TransactionsRemoved':
      return data.transactionIds;
    default:
      return [];
  }
};

export const opensTransaction = ({ type }: TransactionEvent): boolean => type === 'TransactionRecorded';

/** Nothing of the bank's is left; the ids and the time stay, so that the feed can tell. */
const gone = { status: null, ...noContent, removed: true } as const;

type Change = Readonly<{ updatedAt: string; eventId: string }>;
const changeBy = (event: Sequenced): Change => ({ updatedAt: timestampOf(event.recordedAt), eventId: event.id });

type Shown = Sequenced<Extract<LedgerEvent, { type: 'TransactionRecorded' | 'TransactionReinstated' }>>;

const shown = (event: Shown, change: Change, addedAt: string): TransactionRow => ({
  id: event.data.transactionId,
  organization: event.metadata.organization,
  environment: event.metadata.environment,
  entityId: event.data.entityId,
  connectionId: event.data.connectionId,
  accountId: idOf(event.stream),
  status: event.data.status,
  ...event.data.content,
  addedAt,
  ...change,
  removed: false,
});

/** A removal is told also of rows that were not seen to be there: after an erasure, it is all that is left to rebuild from. */
const erased = (
  event: Sequenced<Extract<ErasureEvent, { type: 'TransactionsRemoved' }>>,
  id: string,
): TransactionRow => ({
  id,
  organization: event.metadata.organization,
  environment: event.metadata.environment,
  entityId: event.data.entityId,
  connectionId: event.data.connectionId,
  accountId: event.data.accountId,
  ...gone,
  addedAt: timestampOf(event.recordedAt),
  ...changeBy(event),
});

/** `updatedAt` is the event's `recordedAt`, and moves with every change that a client can see and with no other. */
export const applyToTransaction = (
  row: TransactionRow | undefined,
  event: Sequenced<TransactionEvent>,
  id: string,
): TransactionRow | undefined => {
  switch (event.type) {
    case 'TransactionRecorded':
    case 'TransactionReinstated': {
      const change = changeBy(event);
      return shown(event, change, row?.addedAt ?? change.updatedAt);
    }
    case 'TransactionPosted':
      return row && { ...row, ...event.data.content, status: 'posted', ...changeBy(event) };
    case 'TransactionRestated':
      return row && { ...row, ...event.data.content, status: event.data.status, ...changeBy(event) };
    case 'TransactionCancelled':
      return row && { ...row, status: 'cancelled', ...changeBy(event) };
    case 'TransactionWithdrawn':
      return row && { ...row, ...gone, ...changeBy(event) };
    case 'TransactionsRemoved':
      return erased(event, id);
    default:
      return row;
  }
};
