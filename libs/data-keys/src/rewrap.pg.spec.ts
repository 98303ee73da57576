import { migrate, openPool, type Pool } from '@causeway/postgres';
import type { SecretRing } from '@causeway/settings';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { DataKeyDestroyed, type DataKeys } from './data-keys.ts';
import { mastersInUse } from './masters-in-use.ts';
import { connectionKeysSchema, dataKeyMigrations, webhookKeysSchema } from './migrations.ts';
import { postgresDataKeys } from './postgres-data-keys.ts';
import { rewrapDataKeys } from './rewrap.ts';

const role = 'causeway_spec_key_owner';
const owner = { organization: 'demo', environment: 'test' } as const;
const [old, young] = [1, 2].map((n) => ({ id: `k${n}`, key: Buffer.alloc(32, n) }));
const [oldOnly, oldFirst, newFirst, newOnly] = [[old], [old, young], [young, old], [young]] as unknown as SecretRing[] &
  [SecretRing, SecretRing, SecretRing, SecretRing];
const plain = Buffer.from('what the bank said');

describeWithPostgres('data keys under a new master key', () => {
  let database: TestDatabase;
  let pool: Pool;
  const schemas = [connectionKeysSchema, webhookKeysSchema];

  beforeEach(async () => {
    database = await testDatabase();
    const { url } = database;
    for (const schema of schemas) await migrate(url, schema, dataKeyMigrations({ schema, owner: role, readers: [] }));
    pool = openPool({ url, applicationName: 'spec', role, connectionsMax: 4 });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const keysOf = (masterKeys: SecretRing, schema = connectionKeysSchema): DataKeys =>
    postgresDataKeys({ pool, masterKeys, schema });
  const rewrap = (): Promise<number> => rewrapDataKeys(database.pool, newFirst);

  const made = async (keys: DataKeys, count: number): Promise<Map<string, Buffer>> => {
    const ciphers = new Map<string, Buffer>();
    for (let n = 0; n < count; n++) {
      const id = randomUUID();
      await keys.create(id, owner);
      ciphers.set(id, await keys.encrypt(id, plain, 'here'));
    }
    return ciphers;
  };

  test('are moved, all of them, those of webhooks too, and what is encrypted opens without the old one', async () => {
    const ciphers = await Promise.all(schemas.map((schema) => made(keysOf(oldOnly, schema), 600)));
    expect(await mastersInUse(database.pool)).toEqual([{ id: 'k1', dataKeys: 1200 }]);
    expect([await rewrap(), await rewrap()]).toEqual([1200, 0]);
    expect(await mastersInUse(database.pool)).toEqual([{ id: 'k2', dataKeys: 1200 }]);
    for (const [n, schema] of schemas.entries()) {
      const keys = keysOf(newOnly, schema);
      for (const [id, cipher] of ciphers[n] ?? []) expect(await keys.decrypt(id, cipher, 'here')).toEqual(plain);
    }
  });

  test('are in use all the while, by processes that have the new one second and first', async () => {
    const ciphers = await made(keysOf(oldOnly), 1500);
    const gone = [...ciphers.keys()].slice(0, 50);
    let isOver = false;
    let uses = 0;
    const use = async (masterKeys: SecretRing): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        // Each asks the database, as one that has just started does.
        const keys = keysOf(masterKeys);
        const [id, cipher] = [...ciphers][50 + ((n * 7) % 1450)] as [string, Buffer];
        expect(await keys.decrypt(id, cipher, 'here')).toEqual(plain);
        for (const [made1, cipher1] of await made(keys, 1)) ciphers.set(made1, cipher1);
        uses += 1;
      }
    };
    const users = [oldFirst, newFirst, newFirst].map(use);
    const destroyer = keysOf(newFirst);
    const moving = rewrap();
    for (const id of gone) await destroyer.destroy(id);
    const moved = await moving;
    isOver = true;
    await Promise.all(users);
    expect(moved).toBeGreaterThan(1400);
    expect(uses).toBeGreaterThan(3);

    // What those with the old one first have made since.
    await rewrap();
    expect((await mastersInUse(database.pool)).map(({ id }) => id)).toEqual(['k2']);
    const keys = keysOf(newOnly);
    for (const [id, cipher] of ciphers) {
      expect(await keys.decrypt(id, cipher, 'here')).toEqual(gone.includes(id) ? undefined : plain);
    }
    for (const id of gone) await expect(keys.create(id, owner)).rejects.toThrow(DataKeyDestroyed);
  });

  test('that are wrapped under one that is not listed are left, by name', async () => {
    const [id] = [...(await made(keysOf(oldOnly), 1)).keys()];
    const said = `CAUSEWAY_MASTER_KEY does not list k1, which wraps the data key of ${id}`;
    await expect(rewrapDataKeys(database.pool, newOnly)).rejects.toThrow(said);
    await expect(keysOf(newOnly).encrypt(String(id), plain, 'here')).rejects.toThrow(said);
    expect(await mastersInUse(database.pool)).toEqual([{ id: 'k1', dataKeys: 1 }]);
  });

  test('can be moved by no service', async () => {
    await made(keysOf(oldOnly), 1);
    await expect(rewrapDataKeys(pool, newFirst)).rejects.toThrow('permission denied');
  });
});
