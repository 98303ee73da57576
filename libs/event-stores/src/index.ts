export { eraseOldRuns, runsKeptDays, startRetention, uuidSince } from './retention.ts';
export { postgresSnapshots, snapshotMigrations } from './snapshots.ts';
export { eventStoreMigrations, openEventStore } from './open.ts';
export { eventStoreSettings } from './settings.ts';
export type { EventStoreSettings } from './settings.ts';
