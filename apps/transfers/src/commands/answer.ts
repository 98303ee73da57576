import type { AcceptedTransferV1 } from '@causeway/contracts';
import type { TransferEvent } from '@causeway/domain/transfers';
import type { Recorded } from '@causeway/event-sourcing';
import type { TransferRow } from '@causeway/read-models';
import { applyToTransfer } from '../projections/transfers/transfers.ts';

type History = readonly Pick<Recorded<TransferEvent>, 'type' | 'data' | 'stream' | 'metadata'>[];

/** The transfer as its events have made it; undefined: there is none. */
export const rowOf = (history: History): TransferRow | undefined =>
  (history as readonly Recorded<TransferEvent>[]).reduce<TransferRow | undefined>(applyToTransfer, undefined);

/** What is answered of it: no column that the contract does not name. */
export const answerOf = (row: TransferRow, replayed: boolean): AcceptedTransferV1 => {
  const { id, status, transferType, currency, requestedValue, executedValue, sourceAccountId } = row;
  const { destinationAccountId, payee, clientReference, memo, failureCode, failureMessage } = row;
  const what = { id, status, transferType, currency, requestedValue, executedValue };
  const where = { sourceAccountId, destinationAccountId, payee, clientReference, memo };
  const { createdAt, updatedAt } = row;
  return { transfer: { ...what, ...where, failureCode, failureMessage, createdAt, updatedAt }, replayed };
};
