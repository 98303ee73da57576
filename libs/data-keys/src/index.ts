export { admitSecrets, checkSecrets } from './check-values.ts';
export { DataKeyDestroyed } from './data-keys.ts';
export type { DataKeys, KeyOwner } from './data-keys.ts';
export { mastersInUse } from './masters-in-use.ts';
export type { MasterInUse } from './masters-in-use.ts';
export { connectionKeysSchema, dataKeyMigrations, webhookKeysSchema } from './migrations.ts';
export { pack, unpack } from './packed.ts';
export { noDataKeys, postgresDataKeys } from './postgres-data-keys.ts';
export { rewrapDataKeys } from './rewrap.ts';
