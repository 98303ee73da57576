import { gathering } from '@causeway/concurrency';
import type { Problem } from '@causeway/messaging';
import { migration, sqlName, type Migration, type Pool } from '@causeway/postgres';
import pg from 'pg';

/** `quota_hold`: what was let in and may not be in the view yet, so that it counts at once. */
export const quotaMigrations = (schema: string): readonly Migration[] => [
  migration(
    'Quotas1767225600000',
    `CREATE TABLE ${sqlName(schema)}.quota_hold (
       quota text NOT NULL,
       owner text NOT NULL,
       id uuid NOT NULL,
       held_at timestamptz NOT NULL DEFAULT clock_timestamp(),
       PRIMARY KEY (quota, owner, id)
     )`,
  ),
];

export type QuotaOptions = Readonly<{
  pool: Pool;
  /** Of the service: `quotaMigrations` made its table. */
  schema: string;
  /** As `details.quota` names it. */
  name: string;
  /** 0: there is none. */
  limit: number;
  /** What exists, by a column of ids, with the columns `organization` and, where it counts by it, `environment`. */
  view: string;
  idColumn?: string;
  perEnvironment: boolean;
  /** SQL of the rows of the view that count; all when left out. */
  counted?: string;
}>;

/** The environment matters only where the quota counts by it. */
type Owner = Readonly<{ organization: string; environment?: 'live' | 'test' }>;

export type Quota = Readonly<{
  /**
   * Lets in what is new, by its id, and counts it from then on, in all processes: whoever is let in makes it, within a
   * minute, or it counts no longer. Of what exists already nobody need ask. The same id is counted once.
   */
  admits(owner: Owner, id: string): Promise<boolean>;
  /** What was let in can be read by now: from here on it counts for as long as it can be. */
  settle(owner: Owner, id: string): Promise<void>;
  problem: Problem;
}>;

const statements = ({ schema, view, idColumn = 'id', perEnvironment, counted = 'true' }: QuotaOptions) => {
  const hold = `${sqlName(schema)}.quota_hold`;
  const held = 'hold.quota = $1 AND hold.owner = $2';
  const shown = `EXISTS (SELECT FROM ${view} AS shown WHERE shown.${idColumn} = hold.id)`;
  const environment = perEnvironment ? ` AND environment = split_part($2, ' ', 2)` : '';
  const owned = `organization = split_part($2, ' ', 1)${environment}`;
  return {
    // Nothing that a crash must not take back: what was made by then is in the view.
    lock: `SELECT set_config('synchronous_commit', 'off', true), pg_advisory_xact_lock(hashtextextended($1, 0))`,
    clear: `DELETE FROM ${hold} AS hold WHERE ${held} AND (${shown} OR held_at < clock_timestamp() - interval '1 minute')`,
    // The places that are left are given in the order of the ids; an id that is held has its place.
    take: `
      INSERT INTO ${hold} AS hold (quota, owner, id)
      SELECT $1, $2, id FROM (
        SELECT id, known, count(*) FILTER (WHERE NOT known) OVER (ORDER BY place) AS nth
          FROM unnest($3::uuid[]) WITH ORDINALITY AS wanted (id, place), LATERAL (
            SELECT EXISTS (SELECT FROM ${hold} AS hold WHERE ${held} AND hold.id = wanted.id) AS known) AS before
      ) AS wanted
      WHERE known OR nth <= $4 - (SELECT count(*) FROM ${view} WHERE ${owned} AND ${counted})
                              - (SELECT count(*) FROM ${hold} AS hold WHERE ${held} AND NOT ${shown})
      ON CONFLICT (quota, owner, id) DO UPDATE SET held_at = clock_timestamp()
      RETURNING id`,
    settle: `DELETE FROM ${hold} AS hold WHERE ${held} AND hold.id = $3 AND ${shown}`,
  };
};

/**
 * Statements that are sent as one text are one transaction and one round trip, and each sees what was committed before
 * it began. Such a text takes no parameters.
 */
const written = (statement: string, values: readonly (string | number)[]): string =>
  statement.replace(/\$(\d)/g, (_, n: string) => pg.escapeLiteral(String(values[Number(n) - 1])));

/** Of what the last of several statements returned. */
const idsOf = async (results: Promise<unknown>): Promise<ReadonlySet<string>> => {
  const taken = ((await results) as readonly pg.QueryResult<{ id: string }>[]).at(-1);
  return new Set(taken?.rows.map(({ id }) => id));
};

/** Exact, however many ask at once and in how many processes; those that ask one process meanwhile are let in together. */
export const quota = (options: QuotaOptions): Quota => {
  const { pool, name, limit, perEnvironment } = options;
  const { lock, clear, take, settle } = statements(options);
  const keyOf = ({ organization, environment }: Owner): string =>
    perEnvironment ? `${organization} ${environment}` : organization;
  const admitted = gathering((ids: readonly string[], key) =>
    idsOf(
      pool.query(
        [
          written(lock, [`quota ${name} ${key}`]),
          written(clear, [name, key]),
          written(take, [name, key, `{${[...new Set(ids)].join(',')}}`, limit]),
        ].join(';'),
      ),
    ),
  );
  return {
    admits: async (owner, id) => limit === 0 || (await admitted([id], keyOf(owner))).has(id),
    settle: async (owner, id) => {
      if (limit > 0) await pool.query(settle, [name, keyOf(owner), id]);
    },
    problem: {
      status: 409,
      type: 'conflict',
      message: `The quota ${name} is used up.`,
      details: { quota: name, limit },
    },
  };
};
