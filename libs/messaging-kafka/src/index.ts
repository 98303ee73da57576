export { kafkaTransport } from './transport.ts';
export { ensureTopics } from './ensure-topics.ts';
export { kafkaDeadLetterBox } from './dead-letter-box.ts';
export { kafkaSettings } from './settings.ts';
export type { KafkaConnection } from './settings.ts';
