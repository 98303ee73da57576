import type { Quota } from '@causeway/quotas';
import type { EventSourced } from '@causeway/service';
import type { SidesOf } from './accounts.ts';
import type { Aggregates } from './aggregates.ts';
import type { PaymentsAt } from './payments.ts';

/** What the handling of a command takes. */
export type Commands = Pick<EventSourced, 'store' | 'untilVisible' | 'now'> &
  Readonly<{
    aggregates: Aggregates;
    paymentsAt: PaymentsAt;
    sidesOf: SidesOf;
    openTransfers: Quota;
  }>;
