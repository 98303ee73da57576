import type { EventSourced } from '@causeway/service';
import type { Quota } from '@causeway/quotas';
import type { Aggregates } from './aggregates.ts';
import type { KeySet } from '@causeway/settings';
import type { Banks } from './bank.ts';
import type { Names } from './names.ts';

/** What the handling of a command takes. */
export type Commands = Banks &
  Pick<EventSourced, 'pool' | 'store' | 'dataKeys' | 'untilVisible' | 'untilHidden' | 'now'> &
  Readonly<{
    aggregates: Aggregates;
    names: Names;
    quotas: Readonly<{ entities: Quota; connections: Quota }>;
    /** What the gateway seals credentials to. */
    sealingKeys: KeySet;
    /** From the end of a run to the start of the next. */
    cooldownSeconds: Readonly<{ live: number; test: number }>;
  }>;
