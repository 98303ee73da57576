export { inProcessBroker } from './broker.ts';
export type { InProcessBroker } from './broker.ts';
export { answerCalls, callsOver } from './calls.ts';
export { busCalls, farBus } from './far-bus.ts';
export type { BusCalls } from './far-bus.ts';
export { deadLetterMigrations, postgresDeadLetters } from './postgres-dead-letters.ts';
export { retryLetters } from './retry-letters.ts';
