import { DataKeyDestroyed, postgresDataKeys, webhookKeysSchema, type DataKeys } from '@causeway/data-keys';
import { openPool, type Pool } from '@causeway/postgres';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomBytes, randomUUID } from 'node:crypto';
import { migrateWebhooks, role } from '../migrations.ts';
import { newSecret, sealSecret, unsealSecret } from './secret.ts';

describeWithPostgres('the secret of a webhook', () => {
  let database: TestDatabase;
  let pool: Pool;
  let keys: DataKeys;

  beforeAll(async () => {
    database = await testDatabase();
    await migrateWebhooks({ databaseUrl: database.url });
    pool = openPool({ url: database.url, applicationName: 'spec', role, connectionsMax: 2 });
    keys = postgresDataKeys({ pool, masterKeys: [{ id: '1', key: randomBytes(32) }], schema: webhookKeysSchema });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const sealed = async (webhookId: string, secret: string): Promise<Buffer> =>
    Buffer.from(await sealSecret(keys, webhookId, { organization: 'demo', environment: 'test' }, secret), 'base64');

  test('opens for its webhook alone', async () => {
    const [id, other, secret] = [randomUUID(), randomUUID(), newSecret()];
    const kept = await sealed(id, secret);
    await sealed(other, newSecret());
    expect(await unsealSecret(keys, id, kept)).toBe(secret);
    await expect(unsealSecret(keys, other, kept)).rejects.toThrow('another key');
  });

  test('is gone with it', async () => {
    const id = randomUUID();
    const kept = await sealed(id, newSecret());
    await keys.destroy(id);
    await expect(unsealSecret(keys, id, kept)).rejects.toThrow(DataKeyDestroyed);
  });
});
