import { topics } from '@causeway/contracts';
import type { Transport } from '@causeway/messaging';
import { kafkaTransport, type KafkaConnection } from '@causeway/messaging-kafka';
import type { Logger, Metrics } from '@causeway/observability';
import { isOutage } from '@causeway/postgres';
import { deadLetterAlarm } from './dead-letter-alarm.ts';

type BusOptions = KafkaConnection & Readonly<{ asks?: boolean }>;

/** The bus on which processes meet. It makes the topics that are missing, and need not be there yet. */
export const openBus = (kafka: BusOptions, observers: Readonly<{ log: Logger; metrics?: Metrics }>): Transport =>
  kafkaTransport({
    ...kafka,
    topics,
    isOutage,
    onFault: ({ what, detail }) => observers.log.warn(detail, what),
    onDeadLetter: deadLetterAlarm(observers),
  });
