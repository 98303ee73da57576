import {
  apiKey,
  apiKeyStream,
  organization as organizationDecider,
  type ApiKeyCommand,
  type OrganizationCommand,
} from '@causeway/domain/gateway';
import { commandHandler, type Context, type EventStore } from '@causeway/event-sourcing';
import type { SecretRing } from '@causeway/settings';
import { v7 as uuidv7 } from 'uuid';
import { apiKeyText, newApiKey, secretHash, type Environment } from './key.ts';

export type ApiKeyRequest = Readonly<{
  organization: string;
  environment: Environment;
  scopes: readonly string[];
  allowedIps: readonly string[];
  /** UTC. */
  expiresAt: string;
}>;

/** `key` in full: this is the only place that ever has it. */
export type IssuedKey = ApiKeyRequest & Readonly<{ keyId: string; key: string }>;

type Place = Readonly<{ store: EventStore; secrets: SecretRing; now: () => string }>;

const newId = (): string => uuidv7();

const contextOf = (organization: string | null, environment: Environment | null): Context => {
  const id = newId();
  return { metadata: { correlationId: id, causationId: id, organization, environment } };
};

/**
 * Makes a key, and its organization where it is new. The organization comes first: a crash between the two leaves one
 * without keys, which the next attempt finds.
 */
export const issueApiKey = async ({ store, secrets, now }: Place, request: ApiKeyRequest): Promise<IssuedKey> => {
  const { organization, environment } = request;
  const at = now();
  const create = commandHandler(store, organizationDecider, {
    streamOf: (command: OrganizationCommand) => `organization-${command.organization}`,
    newId,
  });
  await create({ type: 'CreateOrganization', organization, at }, contextOf(organization, null));

  const made = newApiKey(environment);
  const issued = { ...request, secretHash: secretHash(secrets, made), issuedAt: at };
  const decision = await handle(store)(
    { type: 'IssueApiKey', keyId: made.keyId, key: issued },
    contextOf(organization, environment),
  );
  if (decision.outcome === 'rejected') throw new Error(`the key was not issued: ${decision.rejection.code}`);
  return { ...request, keyId: made.keyId, key: apiKeyText(made) };
};

/** Safe to repeat. */
export const revokeApiKey = async (
  { store, now }: Pick<Place, 'store' | 'now'>,
  keyId: string,
): Promise<'revoked' | 'no_such_key'> => {
  const decision = await handle(store)({ type: 'RevokeApiKey', keyId, at: now() }, contextOf(null, null));
  return decision.outcome === 'rejected' ? 'no_such_key' : 'revoked';
};

const handle = (store: EventStore) =>
  commandHandler(store, apiKey, { streamOf: ({ keyId }: ApiKeyCommand) => apiKeyStream(keyId), newId });
