export { describeWithBrowser } from './browser.ts';
export { describeWithPostgres, testDatabase } from './database.ts';
export type { TestDatabase } from './database.ts';
export { describeWithKafka, describeWithOwnKafka, testBrokers } from './kafka.ts';
export { programOf } from './program.ts';
export type { Program } from './program.ts';
export { randomOf } from './random.ts';
export type { Random } from './random.ts';
export { withRoom } from './room.ts';
export {
  beginSystem,
  discardSystem,
  issueKey,
  startSystem,
  systemProcesses,
  testCursorSecrets,
  testMasterKeys,
  testSecrets,
} from './system.ts';
export type { Starting, System, SystemOptions } from './system.ts';
export { startSandboxBank } from './sandbox-bank.ts';
export type { BankTruth, BankTruthRow, SandboxBank } from './sandbox-bank.ts';
