export { integer, list, oneOf, optional, optionalInteger, required, SettingInvalid, text } from './settings.ts';
export type { Environment } from './settings.ts';
export type { KeySet, PrivateJwk } from './key-set.ts';
export {
  environmentOf,
  environmentOfOthers,
  heldSecrets,
  keysIn,
  newSecret,
  secretSettings,
  secretsIn,
} from './secret-settings.ts';
export type { HeldSecrets, KeySetting, SecretSetting } from './secret-settings.ts';
export { secretRing } from './secrets.ts';
export { services, servicesBehind } from './services.ts';
export type { ServiceBehind, ServiceName } from './services.ts';
export type { Secret, SecretRing } from './secrets.ts';
