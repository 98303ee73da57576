export { integer, list, oneOf, optional, optionalInteger, required, SettingInvalid, text } from './settings.ts';
export type { Bounds, Environment } from './settings.ts';
