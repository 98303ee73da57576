export { eventStoreDb } from './event-store.ts';
export { eventStoreDbMigrations } from './migrations.ts';
