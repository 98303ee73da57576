export { dropWork, putWork, workQueueMigrations } from './work-item.ts';
export type { WorkItem } from './work-item.ts';
export { startWorkers } from './workers.ts';
export type { Claim, Outcome, Worker } from './workers.ts';
export { ClaimLost, claimTtlMs } from './hand.ts';
export type { Hold } from './hand.ts';
export { startRunner } from './runner.ts';
export type { Runner } from './runner.ts';
export type { Source, Taken } from './source.ts';
