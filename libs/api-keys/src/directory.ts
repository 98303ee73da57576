import type { KeyUsabilityV1 } from '@causeway/contracts';
import type { Pool } from '@causeway/postgres';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from './key.ts';

/** Where the gateway keeps what it knows of keys: its own schema, from its own events. */
export const apiKeysView = 'gateway.api_key';
const apiKeyUseTable = 'gateway.api_key_use';

export type ApiKeyRow = Readonly<{
  keyId: string;
  organization: string;
  environment: Environment;
  scopes: readonly string[];
  secretHash: string;
  allowedIps: readonly string[];
  issuedAt: string;
  expiresAt: string;
  revokedAt: string | null;
}>;

export type ListedApiKey = Omit<ApiKeyRow, 'secretHash' | 'issuedAt'> & Readonly<{ lastUsedAt: string | null }>;

const shown = `key_id AS "keyId", organization, environment, scopes, allowed_ips AS "allowedIps",
  expires_at AS "expiresAt", revoked_at AS "revokedAt"`;

export const findApiKey = async (pool: Pool, keyId: string): Promise<ApiKeyRow | undefined> => {
  const { rows } = await pool.query<ApiKeyRow>({
    name: 'find_api_key',
    text: `SELECT ${shown}, secret_hash AS "secretHash", issued_at AS "issuedAt" FROM ${apiKeysView} WHERE key_id = $1`,
    values: [keyId],
  });
  return rows[0];
};

/** Oldest first. `organization` undefined: of all. */
export const listApiKeys = async (pool: Pool, organization: string | undefined): Promise<readonly ListedApiKey[]> => {
  const { rows } = await pool.query<ListedApiKey>(
    `SELECT ${shown}, last_used_at AS "lastUsedAt" FROM ${apiKeysView} LEFT JOIN ${apiKeyUseTable} USING (key_id)
     WHERE $1::text IS NULL OR organization = $1 ORDER BY issued_at, key_id`,
    [organization ?? null],
  );
  return rows;
};

/** Of the organization and environment that this key is of. */
export const keyUsabilityAround = async (pool: Pool, keyId: string): Promise<KeyUsabilityV1 | undefined> => {
  const { rows } = await pool.query<KeyUsabilityV1>(
    `SELECT organization, environment, max(expires_at) FILTER (WHERE revoked_at IS NULL) AS "usableUntil"
       FROM ${apiKeysView}
      WHERE (organization, environment) = (SELECT organization, environment FROM ${apiKeysView} WHERE key_id = $1)
      GROUP BY organization, environment`,
    [keyId],
  );
  return rows[0];
};

const defaultEntityOf = `SELECT FROM read_models.entities_v1 WHERE organization = $1 AND is_default_org_entity`;

const pollMs = 25;

/** A view that is not there yet shows nothing yet: a system that starts makes them one after the other. */
const undefinedTable = '42P01';

const appears = async (pool: Pool, text: string, value: string, deadline: number): Promise<boolean> => {
  for (; performance.now() < deadline; await sleep(pollMs)) {
    const found = await pool.query(text, [value]).catch((error: Error & { code?: string }) => {
      if (error.code === undefinedTable) return { rowCount: 0 };
      throw error;
    });
    if (found.rowCount === 1) return true;
  }
  return false;
};

/** True once the running system takes the key and its organization has its default entity. */
export const untilUsable = async (
  pool: Pool,
  { keyId, organization }: Readonly<{ keyId: string; organization: string }>,
  timeoutMs: number,
): Promise<boolean> => {
  const deadline = performance.now() + timeoutMs;
  const key = await appears(pool, `SELECT FROM ${apiKeysView} WHERE key_id = $1`, keyId, deadline);
  return key && (await appears(pool, defaultEntityOf, organization, deadline));
};

/** True once the running system knows that the key is revoked. */
export const untilRevoked = (pool: Pool, keyId: string, timeoutMs: number): Promise<boolean> =>
  appears(
    pool,
    `SELECT FROM ${apiKeysView} WHERE key_id = $1 AND revoked_at IS NOT NULL`,
    keyId,
    performance.now() + timeoutMs,
  );
