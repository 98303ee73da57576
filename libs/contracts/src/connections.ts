import type { CommandContract, EventContract, Scope } from './contract.ts';
import type { PublicKeyText } from './sealed.ts';
import type { Count, Day, Timestamp, Uuid } from './values.ts';

export const connectionsCommands = 'causeway.connections.commands';
export const connectionsEvents = 'causeway.connections.events';
/** Apart from the events, so that a long history on its way to the ledger delays nobody else. */
export const connectionsStatements = 'causeway.connections.statements';

/** The user to be made at the bank, as whom we log in. */
export type InstructionsV1 = Readonly<{
  firstName: string;
  lastName: string;
  address: string;
  email: string;
  username: string;
  phoneNumber: string;
  emailProvisioningStatus: string;
  phoneNumberProvisioningStatus: string;
}>;

/** `instructions` null: it logs in as nobody who had to be made. */
export type SetupV1 = Readonly<{
  status: string;
  instructions: InstructionsV1 | null;
  credentialsPresent: boolean;
  actionRequiredBy: string;
  nextAction: string;
}>;

export type ConnectionV1 = Readonly<{
  id: Uuid;
  entityId: Uuid;
  kind: 'ready' | 'setup';
  institutionId: string | null;
  institutionName: string | null;
  portalUrl: string | null;
  status: string;
  syncStatus: string;
  lastSyncedAt: Timestamp | null;
  errorCode: string | null;
  errorMessage: string | null;
  setup: SetupV1;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}>;

/** At least one of `institutionId` and `portalUrl` (normalized) is set; `entityId` null: the default entity. */
export type CreateConnectionV1 = Scope &
  Readonly<{ entityId: Uuid | null; institutionId: string | null; portalUrl: string | null }>;
export type CreatedConnectionV1 = Readonly<{ connection: ConnectionV1; created: boolean }>;

/** Problems: 400 for an unknown institution or entity, or a portal that is not the institution's. */
export const createConnection: CommandContract<CreateConnectionV1, CreatedConnectionV1> = {
  type: 'connections.create-connection.v1',
  topic: connectionsCommands,
  keyOf: ({ organization }) => organization,
};

export type ConnectionRefV1 = Scope & Readonly<{ connectionId: Uuid }>;
export type ConnectionAnswerV1 = Readonly<{ connectionId: Uuid }>;

/** Problems: 404; 409 where the setup does not wait for it. */
export const completeSetup: CommandContract<ConnectionRefV1, ConnectionV1> = {
  type: 'connections.complete-setup.v1',
  topic: connectionsCommands,
  keyOf: ({ connectionId }) => connectionId,
};

/** What a user at the bank logs in with: null clears, what is left out stays. */
export type CredentialsV1 = Readonly<{
  bankUsername?: string | null;
  bankCustomerId?: string | null;
  password?: string | null;
}>;

/** What is sealed: the credentials, and of which connection they are, so that they count for no other. */
export type SealedCredentials = Readonly<{ connectionId: string; credentials: CredentialsV1 }>;

/** `sealed`: `SealedCredentials` as JSON, sealed to the key that `getSealingKey` answers. */
export type StoreCredentialsV1 = ConnectionRefV1 & Readonly<{ sealed: string }>;

/** Problems: 404; 409 for a revoked connection. */
export const storeCredentials: CommandContract<StoreCredentialsV1, ConnectionV1> = {
  type: 'connections.store-credentials.v1',
  topic: connectionsCommands,
  keyOf: ({ connectionId }) => connectionId,
};

/** What credentials are sealed to: asked for each time, so that the one in use can change. */
export const getSealingKey: CommandContract<Scope, Readonly<{ publicKey: PublicKeyText }>> = {
  type: 'connections.get-sealing-key.v1',
  topic: connectionsCommands,
  keyOf: ({ organization }) => organization,
};

/** Problems: 404; 409 while one runs or where the status does not allow it; 429 in the cooldown, `details.retryAfterSeconds`. */
export const syncConnection: CommandContract<ConnectionRefV1, ConnectionAnswerV1> = {
  type: 'connections.sync-connection.v1',
  topic: connectionsCommands,
  keyOf: ({ connectionId }) => connectionId,
};

/** `before`: it had been deleted, and what that left undone is done now. */
export type DeletedConnectionV1 = Readonly<{ connectionId: Uuid; before: boolean }>;

/** Problems: 404. */
export const deleteConnection: CommandContract<ConnectionRefV1, DeletedConnectionV1> = {
  type: 'connections.delete-connection.v1',
  topic: connectionsCommands,
  keyOf: ({ connectionId }) => connectionId,
};

/** One part of one page of an account's record. The attachment is the raw part under the connection's data key. */
export type StatementPartV1 = Scope &
  Readonly<{
    entityId: Uuid;
    connectionId: Uuid;
    accountId: Uuid;
    /** The account's currency: balances have it from here. */
    currency: string;
    runId: Uuid;
    /** The run's number in its connection, from 1: with `page` the place of the page in the order of all. */
    run: Count;
    /** The connector whose mapping reads the parts. */
    connector: string;
    /** Counts the pages of a run from 0, over all its accounts. */
    page: Count;
    /** From 0 to `parts` - 1, in order. */
    part: Count;
    parts: Count;
    /** The bank's today when it sent the page: nothing in it is of a time far from that. */
    bankDay: Day;
  }>;

/** The context of a part's ciphertext: every fact of its message, but for the owner, which the data key's row names. */
export const contextOfPart = (part: Omit<StatementPartV1, keyof ConnectionRefV1>): string => {
  const { entityId, accountId, currency, runId, run, connector, page, bankDay } = part;
  return JSON.stringify([entityId, accountId, currency, runId, run, connector, page, part.part, part.parts, bankDay]);
};

export const statementPart: EventContract<StatementPartV1> = {
  type: 'connections.statement-part.v1',
  topic: connectionsStatements,
  keyOf: ({ connectionId }) => connectionId,
  hasAttachment: true,
};

/** Every page of the run, `pages` in number, has been published before this, under the same key. */
export type SyncFetchedV1 = Scope &
  Readonly<{
    entityId: Uuid;
    connectionId: Uuid;
    runId: Uuid;
    /** The run's number in its connection, from 1. */
    run: Count;
    accountIds: readonly Uuid[];
    pages: Count;
  }>;

export const syncFetched: EventContract<SyncFetchedV1> = {
  type: 'connections.sync-fetched.v1',
  topic: connectionsStatements,
  keyOf: ({ connectionId }) => connectionId,
};

/** `changes`: transactions added, modified or removed by the run. What it found is readable. */
export type SyncCompletedV1 = Scope &
  Readonly<{ entityId: Uuid; connectionId: Uuid; runId: Uuid; changes: Count; completedAt: Timestamp }>;

export const syncCompleted: EventContract<SyncCompletedV1> = {
  type: 'connections.sync-completed.v1',
  topic: connectionsEvents,
  keyOf: ({ connectionId }) => connectionId,
};

export type ConnectionStatusChangedV1 = Scope &
  Readonly<{
    entityId: Uuid;
    connectionId: Uuid;
    previousStatus: string;
    status: string;
    errorCode: string | null;
    errorMessage: string | null;
    changedAt: Timestamp;
  }>;

export const connectionStatusChanged: EventContract<ConnectionStatusChangedV1> = {
  type: 'connections.status-changed.v1',
  topic: connectionsEvents,
  keyOf: ({ connectionId }) => connectionId,
};

/** On the statements topic, so that it comes after every part of the connection. */
export type ConnectionDeletedV1 = Scope & Readonly<{ connectionId: Uuid; deletedAt: Timestamp }>;

export const connectionDeleted: EventContract<ConnectionDeletedV1> = {
  type: 'connections.connection-deleted.v1',
  topic: connectionsStatements,
  keyOf: ({ connectionId }) => connectionId,
};

/**
 * On the same topic, after that: what connections has destroyed of it. `events`: how many its streams of accounts and
 * runs held.
 */
export type ConnectionErasedV1 = Scope &
  Readonly<{
    connectionId: Uuid;
    accounts: Count;
    events: Count;
    deletedAt: Timestamp;
    keyDestroyedAt: Timestamp;
    erasedAt: Timestamp;
  }>;

export const connectionErased: EventContract<ConnectionErasedV1> = {
  type: 'connections.connection-erased.v1',
  topic: connectionsStatements,
  keyOf: ({ connectionId }) => connectionId,
};
