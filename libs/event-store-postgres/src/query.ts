import type { Pool } from '@causeway/postgres';

/** Runs a statement that each session prepares once, under `name`. */
export type Query = <R extends object>(name: string, text: string, values: readonly unknown[]) => Promise<R[]>;

export const preparedQuery =
  (pool: Pool, schema: string): Query =>
  async <R extends object>(name: string, text: string, values: readonly unknown[]): Promise<R[]> =>
    (await pool.query<R>({ name: `${schema}.${name}`, text, values: [...values] })).rows;
