export { eventStoreMigrations } from './migrations.ts';
export { postgresEventStore } from './event-store.ts';
export type { StoreOptions } from './event-store.ts';
export { waiters } from './waiters.ts';
export { appendsOf, correlationOf, tracedAppendsMax } from './trail.ts';
export type { TracedAppend, TrailOptions } from './trail.ts';
