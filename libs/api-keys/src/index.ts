export { hasHash, parseApiKey } from './key.ts';
export type { ApiKeyText } from './key.ts';
export { ipRange, isAllowedFrom } from './ip-ranges.ts';
export { issueApiKey, revokeApiKey } from './issue.ts';
export type { ApiKeyRequest } from './issue.ts';
export { apiKeysView, findApiKey, keyUsabilityAround, listApiKeys, untilRevoked, untilUsable } from './directory.ts';
export type { ApiKeyRow, ListedApiKey } from './directory.ts';
