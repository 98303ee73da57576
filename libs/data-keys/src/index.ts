export { adopt, checkAdoption } from './adopt.ts';
export type { OwnedKey } from './adopt.ts';
export { checkSecrets } from './check-values.ts';
export { CipherRefused, DataKeyDestroyed } from './data-keys.ts';
export type { DataKeys, KeyOwner } from './data-keys.ts';
export { admitInstallation, checkInstallation } from './installation.ts';
export type { Installation } from './installation.ts';
export { mastersInUse } from './masters-in-use.ts';
export type { MasterInUse } from './masters-in-use.ts';
export {
  connectionKeysSchema,
  dataKeyMigrations,
  migrateDataKeys,
  payeeKeysSchema,
  webhookKeysSchema,
} from './migrations.ts';
export { pack, unpack } from './packed.ts';
export type { Elsewhere, Part } from './parts.ts';
export { noDataKeys, postgresDataKeys } from './postgres-data-keys.ts';
export { rewrapDataKeys } from './rewrap.ts';
