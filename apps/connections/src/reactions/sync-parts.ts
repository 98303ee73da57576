import type { Known } from '@causeway/domain/connections';
import type { Context } from '@causeway/event-sourcing';
import type { EventSourced } from '@causeway/service';
import type { Aggregates } from '../commands/aggregates.ts';
import type { Banks } from '../commands/bank.ts';
import type { KeptPages } from './kept-pages.ts';
import type { Run } from './run-journal.ts';

export type SyncParts = Banks &
  Pick<EventSourced, 'pool' | 'store' | 'dataKeys' | 'now' | 'log'> &
  Readonly<{
    aggregates: Aggregates;
    kept: KeptPages;
    /** A run that hears nothing of the bank for this long has failed. */
    silenceMaxMs: number;
    /** Bytes of a run that may be sent and not booked. */
    unbookedBytesMax: number;
  }>;

export type Found = Readonly<{ run: Run; state: Known; context: Context }>;
