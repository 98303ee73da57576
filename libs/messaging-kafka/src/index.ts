export { kafkaTransport } from './transport.ts';
export { kafkaSettings } from './settings.ts';
export type { KafkaConnection, KafkaFault, KafkaSettings } from './settings.ts';
