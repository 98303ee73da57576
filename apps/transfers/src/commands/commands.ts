import type { EventStore } from '@causeway/event-sourcing';
import type { SidesOf } from './accounts.ts';
import type { Quota } from '@causeway/quotas';
import type { Aggregates } from './aggregates.ts';
import type { PaymentsAt } from './payments.ts';

/** What the handling of a command takes. */
export type Commands = Readonly<{
  store: EventStore;
  aggregates: Aggregates;
  paymentsAt: PaymentsAt;
  sidesOf: SidesOf;
  openTransfers: Quota;
  /** Resolves when what was appended before can be read, or after 2 s. */
  untilVisible(): Promise<void>;
  /** UTC, with milliseconds. */
  now(): string;
}>;
