export { startBroker } from './broker.ts';
export type { Broker, BrokerOptions } from './broker.ts';
