import type { DataKeys } from '@causeway/data-keys';
import type { EventStore, StreamName } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import type { Quota } from '@causeway/quotas';
import type { Aggregates } from './aggregates.ts';
import type { Banks } from './bank.ts';
import type { Names } from './names.ts';

/** What the handling of a command takes. */
export type Commands = Banks &
  Readonly<{
    pool: Pool;
    store: EventStore;
    aggregates: Aggregates;
    names: Names;
    quotas: Readonly<{ entities: Quota; connections: Quota }>;
    dataKeys: DataKeys;
    /** From the end of a run to the start of the next. */
    cooldownSeconds: Readonly<{ live: number; test: number }>;
    /** Resolves when what was appended before can be read, or after 2 s. */
    untilVisible(): Promise<void>;
    /** The same for what must not be read any more: within 7 s, and throws where the other gives up. */
    untilHidden(stream: StreamName): Promise<void>;
    /** UTC, with milliseconds. */
    now(): string;
  }>;
