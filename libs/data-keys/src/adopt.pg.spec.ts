import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { adopt, checkAdoption, type OwnedKey } from './adopt.ts';
import { admitInstallation, type Installation } from './installation.ts';
import { connectionKeysSchema, migrateDataKeys } from './migrations.ts';

const secrets = new Map([['CAUSEWAY_MASTER_KEY', [{ id: '1', key: Buffer.alloc(32, 7) }] as const] as const]);
const owner = { organization: 'acme', environment: 'test' } as const;

describeWithPostgres('an installation that adopts the events of another', () => {
  const former = randomUUID();
  let main: TestDatabase;
  let keys: TestDatabase;
  let onServer: string[];
  let found: { identities: readonly string[]; dataKeys: readonly OwnedKey[] };
  beforeEach(async () => {
    [main, keys] = await Promise.all([testDatabase(), testDatabase()]);
    onServer = [former];
    found = { identities: [former], dataKeys: [{ id: randomUUID(), service: 'ledger', ...owner }] };
  });
  afterEach(() => Promise.all([main, keys].map((database) => database.drop())));

  const adopting = () => ({ databaseUrl: main.url, keysDatabaseUrl: keys.url });
  const installation = (elsewhere = true): Installation => {
    const find = async () => ({ id: onServer.at(-1) ?? null, isUsed: true });
    const events = { name: 'events', setting: 'CAUSEWAY_EVENTSTOREDB_URL', what: 'the events' } as const;
    const there = { find, claim: async () => undefined };
    return { ...adopting(), secrets, events: { ...events, elsewhere: elsewhere ? there : undefined } };
  };
  const takeOver = async (id: string): Promise<void> => void onServer.push(id);
  const lost = async (): Promise<readonly OwnedKey[]> =>
    (await checkAdoption(adopting(), found)) as readonly OwnedKey[];
  /** The keys database of the one that had them. */
  const keptKeys = async (id: string): Promise<void> => {
    await admitInstallation(installation(false));
    await keys.pool.query('UPDATE installation.part SET id = $1', [id]);
    await main.pool.query('DROP SCHEMA installation CASCADE');
    await migrateDataKeys(keys.url, connectionKeysSchema);
  };

  test('starts from then on, with what is lost as destroyed under its owner’s name', async () => {
    await expect(admitInstallation(installation())).rejects.toThrow('belongs to the installation');
    expect(await lost()).toEqual(found.dataKeys);
    const id = await adopt(adopting(), await lost(), takeOver);
    expect(onServer).toEqual([former, id]);
    await admitInstallation(installation());
    const { rows } = await keys.pool.query<object>(
      'SELECT organization, environment, wrapped, destroyed_at IS NULL AS lives FROM data_keys.data_key',
    );
    expect(rows).toEqual([{ ...owner, wrapped: null, lives: false }]);
    expect(await checkAdoption(adopting(), { ...found, identities: onServer })).toBe('ours');
  });

  test('takes the data keys over, too', async () => {
    await keptKeys(former);
    await keys.pool.query(
      `INSERT INTO data_keys.data_key (id, organization, environment, wrapped, master_key_id) VALUES ($1, 'acme', 'test', 'x', '1')`,
      [found.dataKeys[0]?.id],
    );
    expect(await lost()).toEqual([]);
    await adopt(adopting(), [], takeOver);
    await admitInstallation(installation());
    expect((await keys.pool.query('SELECT FROM data_keys.data_key WHERE wrapped IS NOT NULL')).rowCount).toBe(1);
  });

  test('takes none with the data keys of a third', async () => {
    await keptKeys(randomUUID());
    await expect(lost()).rejects.toThrow('CAUSEWAY_KEYS_DATABASE_URL belongs to the installation');
  });

  test('takes none while it has events of its own, but for those that it had before', async () => {
    await admitInstallation(installation(false));
    await expect(lost()).rejects.toThrow('CAUSEWAY_DATABASE_URL has events of its own');
    const { rows } = await main.pool.query<{ id: string }>('SELECT id FROM installation.part LIMIT 1');
    found = { ...found, identities: [String(rows[0]?.id), former] };
    expect(await lost()).toHaveLength(1);
  });

  test('cut short before the server heard of it, does it again', async () => {
    const away = (): Promise<never> => Promise.reject(new Error('away'));
    await expect(adopt(adopting(), await lost(), away)).rejects.toThrow('away');
    await expect(admitInstallation(installation())).rejects.toThrow('belongs to the installation');
    await adopt(adopting(), await lost(), takeOver);
    await admitInstallation(installation());
    expect(onServer).toHaveLength(2);
  });
});
