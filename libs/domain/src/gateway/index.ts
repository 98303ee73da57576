export type { ApiKeyEvent } from './api-key.events.ts';
export { apiKey, apiKeyStream, apiScopes, keyIdOf } from './api-key.ts';
export type { ApiKeyCommand, ApiScope } from './api-key.ts';
export { isOrganizationName, organization } from './organization.ts';
export type { Organization, OrganizationCommand, OrganizationEvent } from './organization.ts';
