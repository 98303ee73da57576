export { describeWithPostgres, testDatabase } from './database.ts';
export type { TestDatabase } from './database.ts';
export { discardSystem, startSystem } from './system.ts';
export type { System, SystemOptions } from './system.ts';
