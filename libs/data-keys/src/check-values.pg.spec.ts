import { migrate, openPool, type Pool } from '@causeway/postgres';
import { SettingInvalid, type SecretRing } from '@causeway/settings';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { admitInstallation, checkInstallation, type Installation } from './installation.ts';
import { connectionKeysSchema, dataKeyMigrations } from './migrations.ts';
import { postgresDataKeys } from './postgres-data-keys.ts';
import { rewrapDataKeys } from './rewrap.ts';

const events = {
  name: 'events',
  setting: 'CAUSEWAY_EVENTSTOREDB_URL',
  what: 'the events',
  elsewhere: undefined,
} as const;
const secret = (id: string, of: number) => ({ id, key: Buffer.alloc(32, of) });
const master = 'CAUSEWAY_MASTER_KEY';

describeWithPostgres('the secrets that data was made with', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeEach(async () => {
    database = await testDatabase();
    pool = openPool({ url: database.url, applicationName: 'spec', connectionsMax: 2 });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const installation = (ring: SecretRing | undefined): Installation => ({
    ...{ databaseUrl: database.url, keysDatabaseUrl: undefined, events },
    secrets: new Map([[master, ring] as const]),
  });
  const admit = (...ring: SecretRing): Promise<void> => admitInstallation(installation(ring));
  const written = async (): Promise<unknown> => {
    const tables = `SELECT schemaname, tablename FROM pg_tables WHERE schemaname !~ '^(pg_|information_schema)' ORDER BY 1, 2`;
    const made = (await pool.query<object>(tables)).rows;
    if (made.length === 0) return made;
    return [made, (await pool.query<object>('SELECT * FROM installation.check_value ORDER BY 1, 2')).rows];
  };

  test('are admitted as often as one likes, and a new one beside an old one', async () => {
    await admit(secret('1', 7));
    await admit(secret('1', 7));
    await admit(secret('1', 7), secret('2', 8));
    await admit(secret('2', 8), secret('1', 7));
    await admit(secret('2', 8));
  });

  test('are not written anywhere, nor what they could be found by', async () => {
    await admit(secret('1', 7));
    expect(JSON.stringify(await written())).not.toContain('0707');
  });

  test.each<readonly [string, SecretRing | undefined, string]>([
    ['another key under an id', [secret('1', 8)], 'has another key under the id 1 than the data was made with'],
    ['the same, behind a new one', [secret('2', 9), secret('1', 8)], 'has another key under the id 1'],
    ['nothing but new ones', [secret('2', 9)], 'lists no key that the data was made with, which have the id 1'],
    ['none at all', undefined, 'must be set: the data was made with the id 1'],
  ])('%s: refused by setting and id, and nothing is written', async (_, ring, said) => {
    await admit(secret('1', 7));
    const before = await written();
    const again = admitInstallation(installation(ring));
    await expect(again).rejects.toThrow(SettingInvalid);
    await expect(again).rejects.toThrow(`${master} ${said}`);
    expect(await written()).toEqual(before);
  });

  test('at a first check, nothing is written', async () => {
    const { fresh } = await checkInstallation(installation([secret('1', 7)]));
    expect(fresh).toMatchObject([{ setting: master, id: '1' }]);
    expect(await written()).toEqual([]);
  });

  test('of processes that start at once with different ones, one goes on', async () => {
    const starts = await Promise.allSettled([7, 8, 9].map((of) => admit(secret('1', of))));
    expect(starts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  test('a master key can be left out once it wraps no data key any more', async () => {
    const roles = { owner: 'causeway_spec_key_owner', readers: [] };
    await migrate(database.url, connectionKeysSchema, dataKeyMigrations(roles));
    await admit(secret('1', 7));
    const id = randomUUID();
    await postgresDataKeys({ pool, masterKeys: [secret('1', 7)] }).create(id, {
      organization: 'demo',
      environment: 'test',
    });
    await admit(secret('2', 8), secret('1', 7));
    await expect(admit(secret('2', 8))).rejects.toThrow(`${master} lacks the id 1, which still wraps data keys: 1`);
    await rewrapDataKeys(pool, [secret('2', 8), secret('1', 7)]);
    await admit(secret('2', 8));
  });
});
