import { findApiKey, hasHash, isAllowedFrom, parseApiKey, type ApiKeyRow, type ApiKeyText } from '@causeway/api-keys';
import type { Pool } from '@causeway/postgres';
import type { SecretRing } from '@causeway/settings';
import type { AccessTokens, Grant } from './access-tokens.ts';
import type { Caller } from './caller.ts';

/** A revocation works within 5 s; the rest is for the projection. */
const rememberedMs = 4000;
/** Beyond this many keys, the oldest is asked for again. */
const rememberedMax = 10_000;

type Remembered = Readonly<{ row: ApiKeyRow; at: number }>;

/** How a caller of one kind of credential is known. */
export type Authentication<Credential> = Readonly<{
  /** `undefined`: no valid credential. */
  authenticate(credential: Credential, address: string): Promise<Caller | undefined>;
  /** A caller known from a moment ago, without asking anyone. */
  recall(credential: Credential, address: string): Caller | undefined;
  /** Known from longer ago: no guess, and worth asking about, however many guesses come from the address. */
  wasGood(credential: Credential, address: string): boolean;
}>;

/** What an OAuth client shows: a key in its two parts. */
export type Client = Readonly<{ keyId: string; secret: string }>;

export type Authentications = Readonly<{
  /** Of the `Authorization` header: a key, or a token that counts as its key. */
  bearer: Authentication<string | undefined>;
  client: Authentication<Client>;
}>;

type Parts = Readonly<{
  pool: Pool;
  secrets: SecretRing;
  tokens: Pick<AccessTokens, 'verify' | 'recall'>;
  nowMs: () => number;
  /** Hears of every request that a key was good for. */
  used: (keyId: string) => void;
}>;

/** Which key a credential says it is of, whether that is so, and what of the key's scopes it has. */
type Claim = Readonly<{
  keyId: string;
  holds(row: ApiKeyRow): boolean;
  scopesOf(row: ApiKeyRow): readonly string[];
}>;

const bearerOf = (authorization = ''): string | undefined => /^Bearer +([^ ]+)$/i.exec(authorization)?.[1];

/**
 * The rows of keys: remembered for 4 s, asked for once however many requests wait. What is not there is not remembered,
 * so that a new key works at once.
 */
const rowsOfKeys = (pool: Pool, nowMs: () => number) => {
  const remembered = new Map<string, Remembered>();
  const asking = new Map<string, Promise<ApiKeyRow | undefined>>();

  const remember = (row: ApiKeyRow | undefined): ApiKeyRow | undefined => {
    if (row === undefined) return undefined;
    remembered.delete(row.keyId);
    remembered.set(row.keyId, { row, at: nowMs() });
    const oldest = remembered.keys().next();
    if (remembered.size > rememberedMax && oldest.done !== true) remembered.delete(oldest.value);
    return row;
  };

  return {
    recall: (keyId: string): ApiKeyRow | undefined => {
      const known = remembered.get(keyId);
      return known !== undefined && nowMs() - known.at < rememberedMs ? known.row : undefined;
    },
    /** However long ago. */
    last: (keyId: string): ApiKeyRow | undefined => remembered.get(keyId)?.row,
    ask: (keyId: string): Promise<ApiKeyRow | undefined> => {
      const underWay = asking.get(keyId);
      if (underWay !== undefined) return underWay;
      const asked = findApiKey(pool, keyId)
        .then(remember)
        .finally(() => asking.delete(keyId));
      asking.set(keyId, asked);
      return asked;
    },
  };
};

/** `undefined`: nothing that could be a credential of ours. */
const claimsBy = ({ secrets, tokens }: Pick<Parts, 'secrets' | 'tokens'>) => {
  const ofKey = (key: ApiKeyText): Claim => ({
    keyId: key.keyId,
    holds: ({ secretHash }) => hasHash(secrets, key, secretHash),
    scopesOf: ({ scopes }) => scopes,
  });
  const ofGrant = ({ keyId, scopes: granted }: Grant): Claim => ({
    keyId,
    holds: () => true,
    scopesOf: ({ scopes }) => scopes.filter((scope) => granted.includes(scope)),
  });
  return {
    ofClient: ({ keyId, secret }: Client): Claim => ({
      keyId,
      holds: ({ environment, secretHash }) => hasHash(secrets, { environment, keyId, secret }, secretHash),
      scopesOf: ({ scopes }) => scopes,
    }),
    ofBearer: (authorization: string | undefined): Claim | undefined => {
      const text = bearerOf(authorization);
      if (text === undefined) return undefined;
      const key = parseApiKey(text);
      const grant = key === undefined ? tokens.recall(text) : undefined;
      return key === undefined ? grant && ofGrant(grant) : ofKey(key);
    },
    /** Of a token that nobody here has seen before. */
    ofNewToken: async (authorization: string | undefined): Promise<Claim | undefined> => {
      const text = bearerOf(authorization);
      const grant = text === undefined ? undefined : await tokens.verify(text);
      return grant && ofGrant(grant);
    },
  };
};

/** Checks credentials: secret or signature, expiry, revocation and address on every request. */
export const authentication = ({ pool, secrets, tokens, nowMs, used }: Parts): Authentications => {
  const rows = rowsOfKeys(pool, nowMs);
  const { ofClient, ofBearer, ofNewToken } = claimsBy({ secrets, tokens });

  const check = (claim: Claim, row: ApiKeyRow | undefined, address: string): Caller | undefined => {
    if (row === undefined || !claim.holds(row)) return undefined;
    const { keyId, organization, environment, allowedIps, expiresAt, revokedAt } = row;
    if (revokedAt !== null || Date.parse(expiresAt) <= nowMs() || !isAllowedFrom(allowedIps, address)) return undefined;
    return { organization, environment, keyId, scopes: claim.scopesOf(row) };
  };

  const noted = (caller: Caller | undefined): Caller | undefined => {
    if (caller !== undefined) used(caller.keyId);
    return caller;
  };

  /** `claimed`: what a credential claims by itself; `found`: where there is more to it than a look. */
  const by = <Credential>(
    claimed: (credential: Credential) => Claim | undefined,
    found: (credential: Credential) => Promise<Claim | undefined> = async () => undefined,
  ): Authentication<Credential> => ({
    recall: (credential, address) => {
      const claim = claimed(credential);
      return claim && noted(check(claim, rows.recall(claim.keyId), address));
    },
    wasGood: (credential, address) => {
      const claim = claimed(credential);
      return claim !== undefined && check(claim, rows.last(claim.keyId), address) !== undefined;
    },
    authenticate: async (credential, address) => {
      const claim = claimed(credential) ?? (await found(credential));
      return claim && noted(check(claim, await rows.ask(claim.keyId), address));
    },
  });
  return { bearer: by(ofBearer, ofNewToken), client: by(ofClient) };
};
