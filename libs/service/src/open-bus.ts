import { topics } from '@causeway/contracts';
import type { Transport } from '@causeway/messaging';
import { kafkaTransport, type KafkaMember } from '@causeway/messaging-kafka';
import type { Logger, Metrics } from '@causeway/observability';
import { isOutage } from '@causeway/postgres';
import { deadLetterAlarm, forgeryAlarm } from './alarms.ts';

type BusOptions = KafkaMember & Readonly<{ asks?: boolean }>;

/** The bus on which processes meet. It makes the topics that are missing, and need not be there yet. */
export const openBus = (kafka: BusOptions, observers: Readonly<{ log: Logger; metrics?: Metrics }>): Transport =>
  kafkaTransport({
    ...kafka,
    topics,
    isOutage,
    onFault: ({ what, detail }) => observers.log.warn(detail, what),
    onDeadLetter: deadLetterAlarm(observers),
    onForged: forgeryAlarm(observers),
  });
