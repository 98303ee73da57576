import { repositoryOver, type Pool } from '@causeway/postgres';
import type { Repository } from 'typeorm';
import { ApiKeyUse } from './api-key-use.entity.ts';

/** Often enough for an operator who asks whether a key is still in use. */
const writeEveryMs = 1000;

/** A use that another process wrote later than ours was stays. */
const write = (repository: Repository<ApiKeyUse>, uses: readonly ApiKeyUse[]) =>
  repository
    .createQueryBuilder()
    .insert()
    .values([...uses])
    .orUpdate(['last_used_at'], ['key_id'], {
      overwriteCondition: { where: 'excluded.last_used_at > "ApiKeyUse".last_used_at' },
    })
    .updateEntity(false)
    .execute();

export type KeyUse = Readonly<{ used(keyId: string): void; stop(): Promise<void> }>;

/** Keeps when each key was last used: in memory, and once a second in the database while keys are used. A kill loses a second of it. */
export const keyUse = (pool: Pool, nowMs: () => number, onFault: (error: unknown) => void): KeyUse => {
  let unwritten = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let repository: Repository<ApiKeyUse> | undefined;

  const flush = async (): Promise<void> => {
    timer = undefined;
    if (unwritten.size === 0) return;
    const uses = unwritten;
    unwritten = new Map();
    // One order for all processes, so that two of them never wait for each other.
    const keyIds = [...uses.keys()].sort();
    try {
      repository ??= await repositoryOver(pool, ApiKeyUse);
      await write(
        repository,
        keyIds.map((keyId) => ({ keyId, lastUsedAt: new Date(uses.get(keyId) ?? nowMs()) })),
      );
    } catch (error) {
      onFault(error);
    }
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
