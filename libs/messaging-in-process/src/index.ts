export { inProcessBroker } from './broker.ts';
export type { InProcessBroker } from './broker.ts';
export type { InProcessSettings } from './settings.ts';
export { deadLetterMigrations, postgresDeadLetters } from './postgres-dead-letters.ts';
export { inProcessServer, MessageFaults } from './server.ts';
export type { ServerOptions } from './server.ts';
