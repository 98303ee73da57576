import { paymentsBooked, statementBooked, statementProgress, statementSetAside } from '@causeway/contracts';
import type { BookingEvent } from '@causeway/domain/ledger';
import { assertNever, type Sequenced } from '@causeway/event-sourcing';
import { outgoing } from '@causeway/service';
import type { Outgoing } from '@causeway/subscriptions';

/** Our events are private. This is all that other services may learn of them. `parked`: of the run's connection. */
export const publish = (event: Sequenced, parked: boolean): Outgoing | undefined => {
  if (!event.stream.startsWith('booking-')) return undefined;
  const { organization, environment } = event.metadata;
  if (organization === null || environment === null) throw new Error(`${event.stream}: a run of nobody's`);
  const scope = { organization, environment };
  const { type, data } = event as Sequenced<BookingEvent>;
  switch (type) {
    case 'PaymentsBooked':
      return outgoing(event, paymentsBooked, { ...scope, ...data });
    case 'StatementBooked':
      return outgoing(event, statementBooked, { ...scope, ...data, parked });
    case 'StatementProgressed':
      return outgoing(event, statementProgress, { ...scope, ...data });
    case 'StatementSetAside':
      return outgoing(event, statementSetAside, { ...scope, ...data });
    default:
      return assertNever(type);
  }
};
