import type { Scope } from './scope.ts';
import type { CredentialName, Instructions } from './delegated-user.ts';

/**
 * Why a login or a run failed. The last two are ours: the ledger could not take all that was sent, or what it booked cannot all be
 * read because an event waits to be mended.
 */
export type SyncFaultKind =
  | 'login_refused'
  | 'insufficient_rights'
  | 'access_revoked'
  | 'rate_limited'
  | 'unavailable'
  | 'bad_answer'
  | 'statement_refused'
  | 'parked';

/** What clients are told of a fault: one sentence a kind, so that nothing that a bank said outlasts its connection here. */
export const faultMessages: Readonly<Record<SyncFaultKind, string>> = {
  login_refused: 'The bank refused the login.',
  insufficient_rights: 'The bank user lacks rights that are needed, or the portal is the wrong one.',
  access_revoked: 'The bank has withdrawn the access.',
  rate_limited: 'The bank asked for fewer requests.',
  unavailable: 'The bank could not be reached, or did not answer in time.',
  bad_answer: 'An answer of the bank could not be read.',
  statement_refused: 'A part of what the bank sent could not be booked.',
  parked: 'An event of one of its accounts waits to be mended.',
};

export type SyncFault = Readonly<{
  kind: SyncFaultKind;
  /** What the bank asked for, an hour at most; null when it did not. */
  retryAfterSeconds: number | null;
}>;

export type SyncTrigger = 'activation' | 'caller' | 'schedule';

/** Where a connection leads. `institutionId` null: nothing matches the portal URL. */
export type Portal = Readonly<{
  institutionId: string | null;
  institutionName: string | null;
  /** Normalized. */
  portalUrl: string | null;
}>;

type Opened = Scope & Portal & Readonly<{ entityId: string }>;
type OfRun = Readonly<{ entityId: string; institutionId: string | null; runId: string }>;
type Changed = Readonly<{
  entityId: string;
  institutionId: string | null;
  previousStatus: ConnectionStatus;
  errorCode: string | null;
  errorMessage: string | null;
  changedAt: string;
}>;
/** An operator's word. */
type Ordered = Readonly<{ operator: string; reason: string }>;

/**
 * What can have happened to a connection. These names and shapes are on disk for good: add a case, or a V2 beside a
 * case; never change one. Times are UTC with milliseconds.
 */
export type ConnectionEvent =
  /** Ready at once: `connector` talks to the bank. */
  | Readonly<{ type: 'ConnectionOpened'; data: Opened & Readonly<{ connector: string; openedAt: string }> }>
  /** Needs a user made for it at the bank, as whom `connector` logs in; null: nothing can log in there yet. */
  | Readonly<{
      type: 'ConnectionDrafted';
      data: Opened & Readonly<{ connector: string | null; instructions: Instructions; draftedAt: string }>;
    }>
  /**
   * `ciphers`: what was given, in base64, under the connection's data key; null: cleared; what is left out stays.
   * `present`: whether there are any by now. `loginId`: of what logs in from then on.
   */
  | Readonly<{
      type: 'CredentialsStored';
      data: Readonly<{
        loginId: string;
        ciphers: Readonly<Partial<Record<CredentialName, string | null>>>;
        present: boolean;
        storedAt: string;
      }>;
    }>
  /** The setup is said to be complete, or credentials came that may work: a login shows. */
  | Readonly<{ type: 'VerificationRequested'; data: Changed & Readonly<{ loginId: string }> }>
  | Readonly<{ type: 'ConnectionActivated'; data: Changed }>
  /** The login works, and what is needed cannot be done with it. */
  | Readonly<{ type: 'ConfigurationRefused'; data: Changed }>
  | Readonly<{
      type: 'SyncRequested';
      /** `number` counts the runs of the connection, from 1: what a later run showed is newer. */
      data: OfRun & Readonly<{ number: number; trigger: SyncTrigger; requestedAt: string }>;
    }>
  /** Recorded before the account's own stream begins, so that erasure finds it. */
  | Readonly<{ type: 'AccountFound'; data: Readonly<{ accountId: string; foundAt: string }> }>
  /** The bank broke off after pages had been sent on; what they hold is still booked, then the run fails. */
  | Readonly<{
      type: 'SyncInterrupted';
      data: Readonly<{ runId: string; fault: SyncFault; interruptedAt: string }>;
    }>
  | Readonly<{ type: 'SyncCompleted'; data: OfRun & Readonly<{ changes: number; completedAt: string }> }>
  /**
   * `changes`: transactions that what came before the fault has changed; null: the run was given up on before the ledger
   * told. `failures`: runs that failed in a row, this one included.
   */
  | Readonly<{
      type: 'SyncFailed';
      data: OfRun & Readonly<{ changes: number | null; failures: number; fault: SyncFault; failedAt: string }>;
    }>
  /** A run that had been given up on was booked after all. */
  | Readonly<{ type: 'SyncBookedLate'; data: OfRun & Readonly<{ changes: number; bookedAt: string }> }>
  | Readonly<{ type: 'ConnectionErrored'; data: Changed }>
  | Readonly<{ type: 'ReauthRequired'; data: Changed }>
  | Readonly<{ type: 'AccessRevoked'; data: Changed }>
  | Readonly<{ type: 'ConnectionRecovered'; data: Changed }>
  | Readonly<{ type: 'ConnectionPaused'; data: Changed & Ordered }>
  | Readonly<{ type: 'ConnectionResumed'; data: Changed & Ordered }>
  | Readonly<{
      type: 'ConnectionDeleted';
      data: Readonly<{ entityId: string; accountIds: readonly string[]; deletedAt: string }>;
    }>
  /**
   * The streams of its accounts and runs are erased: from here on nothing of them can come back. `events`: how many they
   * held.
   */
  | Readonly<{
      type: 'ConnectionErased';
      data: Readonly<{
        accountIds: readonly string[];
        events: number;
        deletedAt: string;
        keyDestroyedAt: string;
        erasedAt: string;
      }>;
    }>;

export type ConnectionStatus =
  'draft' | 'pendingActivation' | 'active' | 'reauthRequired' | 'errored' | 'invalidConfig' | 'paused' | 'revoked';

/** The events that change the status, and to which; the first two open the connection. */
const statusesAfter = {
  ConnectionOpened: 'active',
  ConnectionDrafted: 'draft',
  VerificationRequested: 'pendingActivation',
  ConnectionActivated: 'active',
  ConfigurationRefused: 'invalidConfig',
  ConnectionErrored: 'errored',
  ReauthRequired: 'reauthRequired',
  AccessRevoked: 'revoked',
  ConnectionRecovered: 'active',
  ConnectionPaused: 'paused',
  ConnectionResumed: 'active',
} as const satisfies Partial<Record<ConnectionEvent['type'], ConnectionStatus>>;

type Opening = 'ConnectionOpened' | 'ConnectionDrafted';
export type StatusChange = Exclude<keyof typeof statusesAfter, Opening>;

export const statusAfter = (type: StatusChange | Opening): ConnectionStatus => statusesAfter[type];
