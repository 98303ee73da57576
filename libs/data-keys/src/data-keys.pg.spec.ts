import { migrate, openPool, type Pool } from '@causeway/postgres';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataKeyDestroyed, type DataKeys, type KeyOwner } from './data-keys.ts';
import { dataKeyMigrations, connectionKeysSchema } from './migrations.ts';
import { postgresDataKeys } from './postgres-data-keys.ts';

const owner = 'causeway_spec_key_owner';
const reader = 'causeway_spec_key_reader';
const whose: KeyOwner = { organization: 'demo', environment: 'test' };
const others: readonly KeyOwner[] = [
  { organization: 'other', environment: 'test' },
  { organization: 'demo', environment: 'live' },
];
const masterKeys = [{ id: '1', key: Buffer.alloc(32, 1) }] as const;
const plain = Buffer.from('what the bank said');

describeWithPostgres('data keys', () => {
  let database: TestDatabase;
  let pools: Readonly<Record<'owner' | 'reader', Pool>>;
  let keys: DataKeys;
  let elsewhere: DataKeys;
  beforeAll(async () => {
    database = await testDatabase();
    const { url } = database;
    const migrations = dataKeyMigrations({ owner, readers: [reader] });
    await Promise.all([migrate(url, connectionKeysSchema, migrations), migrate(url, connectionKeysSchema, migrations)]);
    const open = (role: string): Pool => openPool({ url, applicationName: 'spec', role, connectionsMax: 4 });
    pools = { owner: open(owner), reader: open(reader) };
    keys = postgresDataKeys({ pool: pools.owner, masterKeys });
    elsewhere = postgresDataKeys({ pool: pools.reader, masterKeys });
  });
  afterAll(async () => {
    await Promise.all([pools.owner.end(), pools.reader.end()]);
    await database.drop();
  });

  const newConnection = async (): Promise<string> => {
    const connectionId = randomUUID();
    await keys.create(connectionId, whose);
    return connectionId;
  };

  test('what one process encrypts another decrypts', async () => {
    const connection = await newConnection();
    const cipher = await keys.encrypt(connection, plain, 'ledger-1@0');
    expect(await elsewhere.decrypt(connection, cipher, 'ledger-1@0')).toEqual(plain);
  });

  test('making a key again, also at the same time, keeps the first', async () => {
    const connection = randomUUID();
    await Promise.all(Array.from({ length: 8 }, () => keys.create(connection, whose)));
    const cipher = await keys.encrypt(connection, plain, 'here');
    await keys.create(connection, whose);
    const fresh = postgresDataKeys({ pool: pools.reader, masterKeys });
    expect(await fresh.decrypt(connection, cipher, 'here')).toEqual(plain);
  });

  test('a key opens neither another connection’s data nor its own at another place', async () => {
    const [one, other] = [await newConnection(), await newConnection()];
    const cipher = await keys.encrypt(one, plain, 'here');
    await expect(keys.decrypt(other, cipher, 'here')).rejects.toThrow('another key');
    await expect(keys.decrypt(one, cipher, 'there')).rejects.toThrow('another place');
  });

  test('a key is its owner’s for good, and nobody else makes it again', async () => {
    const connection = await newConnection();
    for (const other of others) {
      await expect(keys.create(connection, other)).rejects.toThrow('another owner');
      expect(await elsewhere.isOf(connection, other)).toBe(false);
    }
    expect(await elsewhere.isOf(connection, whose)).toBe(true);
    await keys.destroy(connection);
    expect(await keys.isOf(connection, whose)).toBe(true);
    expect(await keys.isOf(randomUUID(), whose)).toBe(false);
  });

  test.each(others)('what was encrypted does not open once the row names $organization $environment', async (other) => {
    const connection = await newConnection();
    const cipher = await keys.encrypt(connection, plain, 'here');
    await database.pool.query('UPDATE data_keys.data_key SET organization = $2, environment = $3 WHERE id = $1', [
      ...[connection, other.organization, other.environment],
    ]);
    const fresh = postgresDataKeys({ pool: pools.reader, masterKeys });
    await expect(fresh.decrypt(connection, cipher, 'here')).rejects.toThrow('another place');
  });

  test('whose a key is can be told where it cannot be opened', async () => {
    const connection = await newConnection();
    const stranger = postgresDataKeys({ pool: pools.reader, masterKeys: [{ id: '2', key: Buffer.alloc(32, 2) }] });
    expect(await stranger.isOf(connection, whose)).toBe(true);
    await expect(stranger.encrypt(connection, plain, 'here')).rejects.toThrow('does not list');
  });

  test('a destroyed key is gone at once, for good, and elsewhere within 5 s', async () => {
    const connection = await newConnection();
    const cipher = await elsewhere.encrypt(connection, plain, 'here');
    const at = await keys.destroy(connection);
    expect(Math.abs(Date.now() - Date.parse(at))).toBeLessThan(60_000);
    expect(await keys.destroy(connection)).toBe(at);
    expect(await keys.decrypt(connection, cipher, 'here')).toBeUndefined();
    await expect(keys.encrypt(connection, plain, 'here')).rejects.toThrow(DataKeyDestroyed);
    await expect(keys.create(connection, whose)).rejects.toThrow(DataKeyDestroyed);
    await sleep(5050);
    expect(await elsewhere.decrypt(connection, cipher, 'here')).toBeUndefined();
    const { rows } = await database.pool.query('SELECT wrapped FROM data_keys.data_key WHERE id = $1', [connection]);
    expect(rows).toEqual([{ wrapped: null }]);
  });

  test('a key destroyed before it was made is never made', async () => {
    const connection = randomUUID();
    await keys.destroy(connection);
    await expect(keys.create(connection, whose)).rejects.toThrow(DataKeyDestroyed);
  });

  test('a key that was never made is a fault, until it is made', async () => {
    const connection = randomUUID();
    await expect(keys.encrypt(connection, plain, 'here')).rejects.toThrow('no data key was made');
    await keys.create(connection, whose);
    await expect(keys.encrypt(connection, plain, 'here')).resolves.toBeInstanceOf(Buffer);
  });

  test('under another master key nothing opens, and it says so', async () => {
    const connection = await newConnection();
    const stranger = postgresDataKeys({ pool: pools.reader, masterKeys: [{ id: '1', key: Buffer.alloc(32, 2) }] });
    await expect(stranger.encrypt(connection, plain, 'here')).rejects.toThrow('sealed under another key');
  });

  test('a wrapped key moved to another connection does not open', async () => {
    const [one, other] = [await newConnection(), await newConnection()];
    await database.pool.query(
      `UPDATE data_keys.data_key SET wrapped = (SELECT wrapped FROM data_keys.data_key WHERE id = $1)
        WHERE id = $2`,
      [one, other],
    );
    await expect(keys.encrypt(other, plain, 'here')).rejects.toThrow('another place');
  });

  test.each([
    ['reader', `INSERT INTO data_keys.data_key (id, wrapped, master_key_id) VALUES (gen_random_uuid(), '', '1')`],
    ['reader', `SELECT data_keys.destroy(gen_random_uuid())`],
    ['reader', 'UPDATE data_keys.data_key SET wrapped = NULL'],
    ['owner', `UPDATE data_keys.data_key SET wrapped = '', destroyed_at = NULL`],
    ['owner', `UPDATE data_keys.data_key SET organization = 'other'`],
    ['owner', 'DELETE FROM data_keys.data_key'],
    ['owner', 'TRUNCATE data_keys.data_key'],
    ['owner', `INSERT INTO data_keys.data_key (id, destroyed_at) VALUES (gen_random_uuid(), now())`],
  ] as const)('the %s may not %s', async (role, sql) => {
    await expect(pools[role].query(sql)).rejects.toThrow('permission denied');
  });
});
