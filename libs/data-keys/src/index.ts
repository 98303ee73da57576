export { DataKeyDestroyed } from './data-keys.ts';
export type { DataKeys } from './data-keys.ts';
export { masterKeyFrom } from './master-key.ts';
export { dataKeyMigrations, dataKeysSchema } from './migrations.ts';
export { pack, unpack } from './packed.ts';
export { postgresDataKeys } from './postgres-data-keys.ts';
