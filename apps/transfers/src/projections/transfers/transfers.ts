import { failureMessages, maskedPayee, type FailureCode, type TransferEvent } from '@causeway/domain/transfers';
import { assertNever, categoryOf, idOf, type Recorded, type Sequenced } from '@causeway/event-sourcing';
import { rowProjection } from '@causeway/projections';
import { transferColumns, transfersView, type TransferRow } from '@causeway/read-models';

/** An event of a transfer, as far as its row cares. */
type Of<E extends TransferEvent> = E & Pick<Recorded, 'stream' | 'metadata'>;
type Queued = Of<Extract<TransferEvent, { type: 'TransferQueued' }>>;
type Later = Exclude<TransferEvent, { type: 'TransferQueued' }>;

export const applyToTransfer = (row: TransferRow | undefined, event: Of<TransferEvent>): TransferRow | undefined => {
  if (event.type === 'TransferQueued') return queued(event);
  return row && applyLater(row, event);
};

const applyLater = (row: TransferRow, event: Later): TransferRow => {
  switch (event.type) {
    case 'TransferRetried':
      return { ...row, status: 'queued', ...unended, updatedAt: event.data.retriedAt };
    case 'TransferExecutionStarted':
      return { ...row, status: 'executing', updatedAt: event.data.startedAt };
    case 'TransferAwaitsApproval':
      return { ...row, status: 'pending_bank_approval', updatedAt: event.data.awaitingSince };
    case 'TransferOutcomeLost':
      return { ...row, status: 'unknown', updatedAt: event.data.lostAt };
    case 'TransferCompleted': {
      const { executedValue, completedAt } = event.data;
      return { ...row, status: 'completed', executedValue, ...because(null), ...ended(row, completedAt) };
    }
    case 'TransferFailed':
      return { ...row, status: 'failed', ...because(event.data.failure), ...ended(row, event.data.failedAt) };
    case 'TransferCancelled':
      return { ...row, status: 'cancelled', ...because(event.data.failure), ...ended(row, event.data.cancelledAt) };
    case 'TransferReturned':
      return { ...row, status: 'returned', ...because(event.data.failure), ...ended(row, event.data.returnedAt) };
    case 'TransferMatched':
      return { ...row, matchedTransactionId: event.data.transactionId, updatedAt: event.data.matchedAt };
    case 'TransferRematched':
      return { ...row, matchedTransactionId: event.data.transactionId, updatedAt: event.data.rematchedAt };
    case 'TransferOutcomeDeclared':
      return row; // Nothing has come of it yet.
    default:
      return assertNever(event);
  }
};

const because = (code: FailureCode | null) => ({
  failureCode: code,
  failureMessage: code === null ? null : failureMessages[code],
});

const unended = { ...because(null), completedAt: null } as const;

/** The first terminal status is the one whose time stays. */
const ended = ({ completedAt }: TransferRow, at: string) => ({ completedAt: completedAt ?? at, updatedAt: at });

const queued = ({ stream, metadata, data: { order, queuedAt } }: Queued): TransferRow => {
  const { amount, connectionId, sourceAccountId, destination, transferType } = order;
  const { clientReference, memo, executionDate } = order;
  return {
    organization: metadata.organization ?? '',
    environment: metadata.environment ?? 'test',
    id: idOf(stream),
    status: 'queued',
    transferType,
    requestedValue: amount.value,
    executedValue: null,
    currency: amount.currency,
    ...{ connectionId, sourceAccountId },
    destinationAccountId: destination.type === 'account' ? destination.accountId : null,
    payee: destination.type === 'account' ? null : maskedPayee(destination.payee),
    ...{ clientReference, memo, executionDate, ...unended },
    ...{ createdAt: queuedAt, updatedAt: queuedAt, matchedTransactionId: null },
  };
};

/** SQL: neither ended nor returned. */
export const isOpen = `status IN ('queued', 'executing', 'pending_bank_approval', 'unknown')`;

export const transfers = rowProjection<TransferRow, TransferEvent>({
  name: 'transfers',
  version: 1,
  table: 'transfers',
  columns: transferColumns,
  key: 'id',
  keysOf: (event: Sequenced) => (categoryOf(event.stream) === 'transfer' ? [idOf(event.stream)] : []),
  opens: (event) => event.type === 'TransferQueued',
  apply: applyToTransfer,
  indexes: [
    '(organization, environment, created_at, id)',
    '(source_account_id, created_at, id)',
    '(destination_account_id, created_at, id)',
    '(organization, environment, client_reference, created_at, id) WHERE client_reference IS NOT NULL',
    '(matched_transaction_id) WHERE matched_transaction_id IS NOT NULL',
    `(organization, environment) WHERE ${isOpen}`,
  ],
  views: transfersView,
});
