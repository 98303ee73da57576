import type { Quota } from '@causeway/quotas';
import type { EventSourced } from '@causeway/service';
import type { SidesOf } from './accounts.ts';
import type { Aggregates } from './aggregates.ts';
import type { Calendar } from './bank-day.ts';
import type { Payees } from './payees.ts';

/** What the handling of a command takes. */
export type Commands = Pick<EventSourced, 'pool' | 'store' | 'untilVisible' | 'now'> &
  Calendar &
  Readonly<{
    aggregates: Aggregates;
    sidesOf: SidesOf;
    payees: Payees;
    openTransfers: Quota;
  }>;
