export { kafkaTransport } from './transport.ts';
export { ensureTopics } from './ensure-topics.ts';
export { kafkaDeadLetterBox } from './dead-letter-box.ts';
export { kafkaMember, kafkaSettings } from './settings.ts';
export type { KafkaConnection, KafkaMember } from './settings.ts';
