export { missingTools } from './artifacts.ts';
export { startBroker } from './broker.ts';
export type { Broker, BrokerOptions } from './broker.ts';
export { NoBroker } from './no-broker.ts';
export { brokerSource } from './open-broker.ts';
export type { Door } from './properties.ts';
