import { topics } from '@causeway/contracts';
import type { Transport } from '@causeway/messaging';
import { kafkaTransport, type KafkaConnection } from '@causeway/messaging-kafka';
import type { Logger } from '@causeway/observability';

/** The bus on which processes meet. It makes the topics that are missing, and need not be there yet. */
export const openBus = (kafka: KafkaConnection, log: Logger): Transport =>
  kafkaTransport({ ...kafka, topics, onFault: ({ what, detail }) => log.warn(detail, what) });
