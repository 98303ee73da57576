import { messageOf, statementBooked } from '@causeway/contracts';
import type { BookingEvent } from '@causeway/domain/ledger';
import type { Sequenced } from '@causeway/event-sourcing';
import type { Outgoing } from '@causeway/subscriptions';

/** Our events are private. This is all that other services may learn of them. `parked`: of the run's connection. */
export const publish = (event: Sequenced, parked: boolean): Outgoing | undefined => {
  if (event.type !== 'StatementBooked') return undefined;
  const { organization, environment, correlationId } = event.metadata;
  if (organization === null || environment === null) throw new Error(`${event.stream}: a run of nobody's`);
  const { data } = event as Sequenced<BookingEvent>;
  return {
    topic: statementBooked.topic,
    message: messageOf(
      statementBooked,
      { organization, environment, ...data, parked },
      { id: event.id, correlationId, causationId: event.id },
    ),
  };
};
