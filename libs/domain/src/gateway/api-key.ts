import { accept, assertNever, reject, type Decider, type Decision, type StreamName } from '@causeway/event-sourcing';
import type { ApiKeyEvent, IssuedApiKey } from './api-key.events.ts';

/** What a credential may be allowed to do, as the interface names it. */
export const apiScopes = [
  'entities:read',
  'entities:write',
  'connections:read',
  'connections:write',
  'accounts:read',
  'transactions:read',
  'transfers:read',
  'transfers:write',
  'webhooks:read',
  'webhooks:write',
] as const;
export type ApiScope = (typeof apiScopes)[number];

const streamPrefix = 'api-key-';

export const apiKeyStream = (keyId: string): StreamName => `${streamPrefix}${keyId}`;

/** `undefined`: the stream of something else. */
export const keyIdOf = (stream: StreamName): string | undefined =>
  stream.startsWith(streamPrefix) ? stream.slice(streamPrefix.length) : undefined;

export type ApiKeyCommand = Readonly<{ keyId: string }> &
  (Readonly<{ type: 'IssueApiKey'; key: IssuedApiKey }> | Readonly<{ type: 'RevokeApiKey'; at: string }>);

/** `key_id_taken`: a second key under one id. `no_such_key`: nothing to revoke. */
export type ApiKeyRejection = Readonly<{ code: 'key_id_taken' | 'no_such_key' }>;

export type ApiKey = Readonly<{ status: 'none' | 'revoked' }> | Readonly<{ status: 'issued'; secretHash: string }>;

type ApiKeyDecision = Decision<ApiKeyEvent, ApiKeyRejection>;

const issue = (key: ApiKey, issued: IssuedApiKey): ApiKeyDecision => {
  if (key.status === 'none') return accept({ type: 'ApiKeyIssued', data: issued });
  const again = key.status === 'issued' && key.secretHash === issued.secretHash;
  return again ? accept() : reject({ code: 'key_id_taken' });
};

const decide = (key: ApiKey, command: ApiKeyCommand): ApiKeyDecision => {
  switch (command.type) {
    case 'IssueApiKey':
      return issue(key, command.key);
    case 'RevokeApiKey':
      if (key.status === 'none') return reject({ code: 'no_such_key' });
      return key.status === 'revoked' ? accept() : accept({ type: 'ApiKeyRevoked', data: { revokedAt: command.at } });
    default:
      return assertNever(command);
  }
};

const evolve = (_: ApiKey, event: ApiKeyEvent): ApiKey => {
  switch (event.type) {
    case 'ApiKeyIssued':
      return { status: 'issued', secretHash: event.data.secretHash };
    case 'ApiKeyRevoked':
      return { status: 'revoked' };
    default:
      return assertNever(event);
  }
};

export const apiKey: Decider<ApiKey, ApiKeyCommand, ApiKeyEvent, ApiKeyRejection> = {
  initial: { status: 'none' },
  decide,
  evolve,
};
