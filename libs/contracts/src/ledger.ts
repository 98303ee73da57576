import type { CommandContract, EventContract, Scope } from './contract.ts';
import type { ConnectionAnswerV1, ConnectionRefV1 } from './connections.ts';
import type { Count, Uuid } from './values.ts';

export const ledgerCommands = 'causeway.ledger.commands';
export const ledgerEvents = 'causeway.ledger.events';

/**
 * Hides everything of a deleted connection at once; answered when nothing of it is readable any more. The rows go, and
 * their `removed` events appear, afterwards. Safe to repeat; a connection without rows is no refusal.
 */
export const eraseConnection: CommandContract<ConnectionRefV1, ConnectionAnswerV1> = {
  type: 'ledger.erase-connection.v1',
  topic: ledgerCommands,
  keyOf: ({ connectionId }) => connectionId,
};

/**
 * Every page of a run is booked, and what changed can be read. `refused`: pages that could not be read, and why in words of ours.
 * `missing`: how many pages never came, because a message of theirs was set aside. `parked`: an event of one of the
 * connection's accounts waits to be mended, so that not all that changed can be read.
 */
export type StatementBookedV1 = Scope &
  Readonly<{
    connectionId: Uuid;
    runId: Uuid;
    changes: Count;
    refused: readonly Readonly<{ accountId: Uuid; page: Count; reason: string }>[];
    missing: Count;
    parked: boolean;
  }>;

export const statementBooked: EventContract<StatementBookedV1> = {
  type: 'ledger.statement-booked.v1',
  topic: ledgerEvents,
  keyOf: ({ connectionId }) => connectionId,
};

/**
 * Rows of a run by which money left an account and that carry a reference as payments of ours have, 500 at most. They can
 * be read. `reference`: an attempt at a transfer, or by chance something else.
 */
export type PaymentsBookedV1 = Scope &
  Readonly<{
    connectionId: Uuid;
    runId: Uuid;
    payments: readonly Readonly<{ accountId: Uuid; transactionId: Uuid; reference: string }>[];
  }>;

export const paymentsBooked: EventContract<PaymentsBookedV1> = {
  type: 'ledger.payments-booked.v1',
  topic: ledgerEvents,
  keyOf: ({ connectionId }) => connectionId,
};

/**
 * How far a run is booked, some every 4 MB: `bytes` of its attachments are booked or refused. Whoever sends waits where
 * too much of what it sent is not.
 */
export type StatementProgressV1 = Scope & Readonly<{ connectionId: Uuid; runId: Uuid; bytes: Count }>;

export const statementProgress: EventContract<StatementProgressV1> = {
  type: 'ledger.statement-progress.v1',
  topic: ledgerEvents,
  keyOf: ({ connectionId }) => connectionId,
};

/**
 * A message of the run is a dead letter, so that the run is not booked unless somebody retries it.
 */
export type StatementSetAsideV1 = Scope & Readonly<{ connectionId: Uuid; runId: Uuid }>;

export const statementSetAside: EventContract<StatementSetAsideV1> = {
  type: 'ledger.statement-set-aside.v1',
  topic: ledgerEvents,
  keyOf: ({ connectionId }) => connectionId,
};
