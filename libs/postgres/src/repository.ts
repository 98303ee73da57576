import type { EntityTarget, ObjectLiteral, Repository } from 'typeorm';
import type { Pool } from './pool.ts';

/**
 * TypeORM's repository of one entity, over sessions that a service has already: for a table that no append, projection,
 * feed or delivery touches, and in no transaction with those that one does. Rejects while the database is away. There is
 * nothing to close but the pool.
 */
export const repositoryOver = async <E extends ObjectLiteral>(
  pool: Pool,
  entity: EntityTarget<E>,
): Promise<Repository<E>> => {
  const { DataSource } = await import('typeorm');
  const driver = { Pool: pooled(pool) };
  const source = new DataSource({ type: 'postgres', driver, entities: [entity as never], installExtensions: false });
  return (await source.initialize()).getRepository(entity);
};

/** TypeORM asks its driver for a new pool, and is given this one. */
const pooled = (pool: Pool) =>
  function (): Pool {
    return pool;
  };
