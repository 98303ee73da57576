import type { TransferRow } from '@causeway/read-models';
import type { CommandContract, Scope } from './contract.ts';
import type { Day, Uuid } from './values.ts';

export const transfersCommands = 'causeway.transfers.commands';

/**
 * `transferId`: the same for every request under one idempotency key. `amount`: greater than zero, as the caller wrote
 * it. `executionDate`: a date; null: the earliest.
 */
export type CreateTransferV1 = Scope &
  Readonly<{
    transferId: Uuid;
    amount: Readonly<{ currency: string; value: string }>;
    sourceAccountId: Uuid;
    destinationAccountId: Uuid;
    clientReference: string | null;
    executionDate: Day | null;
    memo: string | null;
    skipPreflight: boolean;
  }>;
export type CreatedTransferV1 = Readonly<{ transfer: TransferRow; replayed: boolean }>;

/**
 * Problems: 400 invalid_request for a date that is past or one account on both sides, 400 preflight_failed, 409 for an
 * idempotency key reused for another order.
 */
export const createTransfer: CommandContract<CreateTransferV1, CreatedTransferV1> = {
  type: 'transfers.create-transfer.v1',
  topic: transfersCommands,
  keyOf: ({ transferId }) => transferId,
};
