import { findApiKey, hasHash, isAllowedFrom, parseApiKey, type ApiKeyRow, type ApiKeyText } from '@causeway/api-keys';
import type { Pool } from '@causeway/postgres';
import type { SecretRing } from '@causeway/settings';
import type { Caller } from './caller.ts';

/** A revocation works within 5 s; the rest is for the projection. */
const rememberedMs = 4000;
/** Beyond this many keys, the oldest is asked for again. */
const rememberedMax = 10_000;

type Remembered = Readonly<{ row: ApiKeyRow; at: number }>;

export type Authentication = Readonly<{
  /** `undefined`: no valid credential. */
  authenticate(authorization: string | undefined, address: string): Promise<Caller | undefined>;
  /** A caller known from a moment ago, without asking anyone. */
  recall(authorization: string | undefined, address: string): Caller | undefined;
  /** Known from longer ago: no guess, and worth asking about, however many guesses come from the address. */
  wasGood(authorization: string | undefined, address: string): boolean;
}>;

type Parts = Readonly<{
  pool: Pool;
  secrets: SecretRing;
  nowMs: () => number;
  /** Hears of every request that a key was good for. */
  used: (keyId: string) => void;
}>;

const keyOf = (authorization: string | undefined): ApiKeyText | undefined => {
  const [, credential] = /^Bearer +([^ ]+)$/i.exec(authorization ?? '') ?? [];
  return credential === undefined ? undefined : parseApiKey(credential);
};

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

/** Checks credentials: secret, expiry, revocation and address on every request. */
export const authentication = ({ pool, secrets, nowMs, used }: Parts): Authentication => {
  const rows = rowsOfKeys(pool, nowMs);

  const check = (key: ApiKeyText, row: ApiKeyRow | undefined, address: string): Caller | undefined => {
    if (row === undefined || !hasHash(secrets, key, row.secretHash)) return undefined;
    const { keyId, organization, environment, scopes, allowedIps, expiresAt, revokedAt } = row;
    if (revokedAt !== null || Date.parse(expiresAt) <= nowMs() || !isAllowedFrom(allowedIps, address)) return undefined;
    return { organization, environment, keyId, scopes };
  };

  const noted = (caller: Caller | undefined): Caller | undefined => {
    if (caller !== undefined) used(caller.keyId);
    return caller;
  };

  return {
    recall: (authorization, address) => {
      const key = keyOf(authorization);
      return key && noted(check(key, rows.recall(key.keyId), address));
    },
    wasGood: (authorization, address) => {
      const key = keyOf(authorization);
      return key !== undefined && check(key, rows.last(key.keyId), address) !== undefined;
    },
    authenticate: async (authorization, address) => {
      const key = keyOf(authorization);
      return key && noted(check(key, await rows.ask(key.keyId), address));
    },
  };
};
