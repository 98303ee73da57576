import { migrate, migration, openPool, type Pool } from '@causeway/postgres';
import type { Ours, PartName, Theirs } from './identity.ts';
import { presentSchemas } from './masters-in-use.ts';

export const installationSchema = 'installation';

/**
 * Where a part of the installation is, or may be. `elsewhere` is undefined where it is in the main database. `what`: as a
 * refusal names it.
 */
export type Part = Readonly<{
  name: PartName;
  setting: string;
  what: string;
  elsewhere: Elsewhere | undefined;
  /** The command that takes over what belongs to another, if there is one. */
  adopt?: string;
}>;

export type Elsewhere = Readonly<{
  find(): Promise<Exclude<Theirs, 'here'>>;
  /** Unless another was first. */
  claim(id: string): Promise<void>;
}>;

export const partMigration = migration(
  'Parts1767225600001',
  `CREATE TABLE ${installationSchema}.part (
     -- 'main' stands in the main database alone; a part that is elsewhere has a row there, too.
     name text PRIMARY KEY CHECK (name IN ('main', 'keys', 'events')),
     -- Of the installation: the same in every row.
     id uuid NOT NULL,
     place text NOT NULL CHECK (place IN ('here', 'offered', 'elsewhere')),
     since timestamptz NOT NULL DEFAULT now()
   )`,
);

type Row = Readonly<{ name: PartName | 'main'; id: string; place: NonNullable<Ours['part']> }>;

export const partsIn = async (pool: Pool): Promise<readonly Row[]> => {
  const made = await pool.query(`SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'part'`, [
    installationSchema,
  ]);
  if (made.rowCount === 0) return [];
  return (await pool.query<Row>(`SELECT name, id, place FROM ${installationSchema}.part ORDER BY name`)).rows;
};

/** Makes one where there is none. */
export const keepPart = async (pool: Pool, name: Row['name'], id: string, place: Row['place']): Promise<void> => {
  await pool.query(
    `INSERT INTO ${installationSchema}.part (name, id, place) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
    [name, id, place],
  );
};

export const withPool = async <T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> => {
  const pool = openPool({ url, applicationName: 'installation', connectionsMax: 1 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
};

const database = (url: string): Elsewhere => ({
  find: () =>
    withPool(url, async (pool) => {
      const [part] = await partsIn(pool);
      return { id: part?.id ?? null, isUsed: (await presentSchemas(pool)).length > 0 };
    }),
  claim: async (id) => {
    await migrate(url, installationSchema, [partMigration]);
    await withPool(url, (pool) => keepPart(pool, 'keys', id, 'here'));
  },
});

/** `url`: as the owner; undefined: data keys are in the main database. */
export const keysPart = (url: string | undefined): Part => ({
  ...{ name: 'keys', setting: 'CAUSEWAY_KEYS_DATABASE_URL', what: 'the data keys of this installation' },
  elsewhere: url === undefined ? undefined : database(url),
});
