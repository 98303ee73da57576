export { eventStoreDb } from './event-store.ts';
export { prefixOf, serverIdentity, surveyServer, takeOverServer } from './installation.ts';
export type { Identity, ServerPlace } from './installation.ts';
export type { Survey } from './survey.ts';
export { eventStoreDbMigrations } from './migrations.ts';
