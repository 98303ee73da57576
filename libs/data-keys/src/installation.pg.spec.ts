import { migrate, openPool } from '@causeway/postgres';
import { SettingInvalid } from '@causeway/settings';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { admitInstallation } from './installation.ts';
import { connectionKeysSchema, dataKeyMigrations } from './migrations.ts';

const events = {
  name: 'events',
  setting: 'CAUSEWAY_EVENTSTOREDB_URL',
  what: 'the events',
  elsewhere: undefined,
} as const;
const secrets = new Map([['CAUSEWAY_MASTER_KEY', [{ id: '1', key: Buffer.alloc(32, 7) }] as const] as const]);
const setting = 'CAUSEWAY_KEYS_DATABASE_URL';

describeWithPostgres('an installation with its data keys in a database of their own', () => {
  let main: TestDatabase;
  let keys: TestDatabase;
  let another: TestDatabase;
  beforeEach(async () => {
    [main, keys, another] = await Promise.all([testDatabase(), testDatabase(), testDatabase()]);
  });
  afterEach(() => Promise.all([main, keys, another].map((database) => database.drop())));

  const admit = (database = main, keysDatabase: TestDatabase | undefined = keys): Promise<void> =>
    admitInstallation({
      ...{ databaseUrl: database.url, keysDatabaseUrl: keysDatabase.url, secrets, events },
    });
  const admitHere = (): Promise<void> =>
    admitInstallation({ databaseUrl: main.url, keysDatabaseUrl: undefined, secrets, events });
  const keep = (database: TestDatabase): Promise<void> =>
    migrate(database.url, connectionKeysSchema, dataKeyMigrations({ owner: 'causeway_spec_key_owner', readers: [] }));

  const parts = async ({ pool }: TestDatabase): Promise<readonly object[]> =>
    (await pool.query<object>('SELECT name, id, place FROM installation.part ORDER BY name')).rows;
  /** Every row of every table. */
  const written = async (...databases: readonly TestDatabase[]): Promise<unknown> => {
    const all: unknown[] = [];
    for (const { url } of databases) {
      const pool = openPool({ url, applicationName: 'spec', connectionsMax: 1 });
      const { rows } = await pool.query<{ table: string }>(
        `SELECT schemaname || '.' || tablename AS table FROM pg_tables
          WHERE schemaname !~ '^(pg_|information_schema)' ORDER BY 1`,
      );
      for (const { table } of rows) all.push([table, (await pool.query<object>(`SELECT * FROM ${table}`)).rows]);
      await pool.end();
    }
    return all;
  };
  const refused = async (start: () => Promise<void>, said: RegExp): Promise<void> => {
    const before = await written(main, keys, another);
    const started = start();
    await expect(started).rejects.toThrow(SettingInvalid);
    await expect(started).rejects.toThrow(said);
    expect(await written(main, keys, another)).toEqual(before);
  };

  test('has one identity, written on both sides', async () => {
    await admit();
    const [first] = (await parts(main)) as { id: string }[];
    expect(await parts(main)).toEqual([
      { name: 'events', id: first?.id, place: 'here' },
      { name: 'keys', id: first?.id, place: 'elsewhere' },
      { name: 'main', id: first?.id, place: 'here' },
    ]);
    expect(await parts(keys)).toEqual([{ name: 'keys', id: first?.id, place: 'here' }]);
  });

  test('starts again and writes nothing', async () => {
    await admit();
    await keep(keys);
    const before = await written(main, keys);
    await admit();
    expect(await written(main, keys)).toEqual(before);
  });

  test('started first by many processes at once, has one', async () => {
    await Promise.all(Array.from({ length: 6 }, () => admit()));
    const rows = [...(await parts(main)), ...(await parts(keys))] as { id: string }[];
    expect(rows).toHaveLength(4);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(1);
  });

  test.each([
    ['before the other side was written', 'DROP SCHEMA installation CASCADE'],
    ['before it knew that it was', 'SELECT'],
  ])('whose first start ended %s is mended by the next', async (_, undo) => {
    await admit();
    await main.pool.query(`UPDATE installation.part SET place = 'offered' WHERE name = 'keys'`);
    await keys.pool.query(undo);
    await admit();
    const [, first] = await parts(main);
    expect(first).toMatchObject({ name: 'keys', place: 'elsewhere' });
    expect(await parts(keys)).toEqual([{ ...first, place: 'here' }]);
  });

  test('of two that start first with one keys database, one goes on', async () => {
    const starts = await Promise.allSettled([admit(main), admit(another)]);
    expect(starts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [loser] = starts[0]?.status === 'rejected' ? [main] : [another];
    await refused(() => admit(loser), new RegExp(`^${setting} belongs to the installation`));
  });

  test('is refused the keys of another, also while it is new', async () => {
    await admit(another);
    await refused(() => admit(), /belongs to the installation \S+, and CAUSEWAY_DATABASE_URL is new$/);
    await admitHere();
    await refused(() => admit(), /belongs to the installation \S+, and CAUSEWAY_DATABASE_URL to \S+$/);
  });

  test('is refused keys that say nothing of whose they are', async () => {
    await keep(keys);
    await refused(() => admit(), new RegExp(`^${setting} is not new`));
  });

  test('is refused an empty keys database in place of its own', async () => {
    await admit();
    await refused(() => admit(main, another), new RegExp(`^${setting} holds nothing, and is not where the data keys`));
  });

  test('is refused a start that does not say where they are, and one that says so though they are not', async () => {
    await admitHere();
    await refused(
      () => admit(),
      new RegExp(`^${setting} holds nothing: the data keys .* are in CAUSEWAY_DATABASE_URL$`),
    );
    await admit(another);
    await expect(
      admitInstallation({ databaseUrl: another.url, keysDatabaseUrl: undefined, secrets, events }),
    ).rejects.toThrow(`${setting} must be set`);
  });

  test('is refused with the two databases exchanged, or the keys for the events', async () => {
    await admit();
    await keep(keys);
    const said = /^CAUSEWAY_DATABASE_URL holds the data keys of the installation \S+, and no events$/;
    await refused(() => admit(keys, main), said);
    await refused(() => admit(keys, keys), said);
  });

  test('wants no keys database where a process uses no data keys', async () => {
    const none = { secrets: new Map(), keysDatabaseUrl: undefined, events };
    await admit();
    await admitInstallation({ databaseUrl: main.url, ...none });
    expect(await parts(keys)).toHaveLength(1);
  });
});
