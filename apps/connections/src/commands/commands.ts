import type { BankAccess, Connector } from '@causeway/bank-connectors';
import type { DataKeys } from '@causeway/data-keys';
import type { EventStore, StreamName } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import type { Quota } from '@causeway/quotas';
import type { Aggregates } from './aggregates.ts';
import type { Names } from './names.ts';

/** What the handling of a command takes. */
export type Commands = Readonly<{
  pool: Pool;
  store: EventStore;
  aggregates: Aggregates;
  names: Names;
  quotas: Readonly<{ entities: Quota; connections: Quota }>;
  dataKeys: DataKeys;
  connectors: Readonly<Record<string, Connector>>;
  accessTo(connectionId: string, institutionId: string): BankAccess;
  /** From the end of a run to the start of the next. */
  cooldownSeconds: Readonly<{ live: number; test: number }>;
  /** Resolves when what was appended before can be read, or after 2 s. */
  untilVisible(): Promise<void>;
  /** The same for what must not be read any more: within 7 s, and throws where the other gives up. */
  untilHidden(stream: StreamName): Promise<void>;
  /** UTC, with milliseconds. */
  now(): string;
}>;
