import type { EventStore } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import type { Aggregates } from './aggregates.ts';
import type { PaymentsAt } from './payments.ts';

/** What the handling of a command takes. */
export type Commands = Readonly<{
  pool: Pool;
  store: EventStore;
  aggregates: Aggregates;
  paymentsAt: PaymentsAt;
  /** Resolves when what was appended before can be read, or after 2 s. */
  untilVisible(): Promise<void>;
  /** Tells this process's worker that there is something to execute. */
  queued(): void;
  /** UTC, with milliseconds. */
  now(): string;
}>;
