export { eraseOldRuns, runsKeptDays, startRetention, uuidSince } from './retention.ts';
export { postgresSnapshots, snapshotMigrations } from './snapshots.ts';
export { surveyServer, takeOverServer } from '@causeway/event-store-eventstoredb';
export type { Identity, Survey } from '@causeway/event-store-eventstoredb';
export { eventsPart, eventStoreMigrations, openEventStore } from './open.ts';
export { eventStoreSettings } from './settings.ts';
export type { EventStoreSettings } from './settings.ts';
export { appendsOf, correlationOf, tracedAppendsMax } from '@causeway/event-store-postgres';
export type { TracedAppend } from '@causeway/event-store-postgres';
