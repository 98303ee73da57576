import type { DeadLetter } from '@causeway/messaging';
import type { Logger, Metrics } from '@causeway/observability';

type Observers = Readonly<{ log: Logger; metrics?: Metrics }>;

/** Tells people of a message that was set aside, without its data: somebody has to see to it. */
export const deadLetterAlarm =
  ({ log, metrics }: Observers) =>
  ({ group, topic, message, reason, attempts }: DeadLetter): void => {
    const { type, id: messageId, correlationId: requestId } = message;
    metrics?.setAside(topic, type);
    log.error({ requestId, message: type, messageId, group, topic, reason, attempts }, 'set aside as a dead letter');
  };

/** Tells of a message that was passed over: somebody writes to our topics who should not. */
export const forgeryAlarm =
  ({ log, metrics }: Observers) =>
  (place: string): void => {
    metrics?.forged(place.split('/', 1)[0] ?? '');
    log.error({ place }, 'a message that none of ours made was passed over');
  };
