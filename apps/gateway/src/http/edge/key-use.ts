import { apiKeyUseTable } from '@causeway/api-keys';
import type { Pool } from '@causeway/postgres';

/** Often enough for an operator who asks whether a key is still in use. */
const writeEveryMs = 1000;

const write = `INSERT INTO ${apiKeyUseTable} (key_id, last_used_at)
  SELECT key_id, to_timestamp(at_ms / 1000.0) FROM unnest($1::text[], $2::float8[]) AS use (key_id, at_ms)
  ON CONFLICT (key_id) DO UPDATE SET last_used_at = greatest(api_key_use.last_used_at, excluded.last_used_at)`;

export type KeyUse = Readonly<{ used(keyId: string): void; stop(): Promise<void> }>;

/** Keeps when each key was last used: in memory, and once a second in the database while keys are used. A kill loses a second of it. */
export const keyUse = (pool: Pool, nowMs: () => number, onFault: (error: unknown) => void): KeyUse => {
  let unwritten = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  const flush = async (): Promise<void> => {
    timer = undefined;
    if (unwritten.size === 0) return;
    const uses = unwritten;
    unwritten = new Map();
    // One order for all processes, so that two of them never wait for each other.
    const keyIds = [...uses.keys()].sort();
    await pool.query(write, [keyIds, keyIds.map((keyId) => uses.get(keyId))]).catch(onFault);
  };

  return {
    used: (keyId) => {
      unwritten.set(keyId, nowMs());
      timer ??= setTimeout(() => void flush(), writeEveryMs);
    },
    stop: async () => {
      clearTimeout(timer);
      await flush();
    },
  };
};
