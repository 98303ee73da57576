import { postgresDataKeys } from '@causeway/data-keys';
import { postgresEventStore } from '@causeway/event-store-postgres';
import { openPool, type Pool } from '@causeway/postgres';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomBytes, randomUUID } from 'node:crypto';
import { handlerIn } from '../commands/commands.ts';
import { eventsSchema, migrateWebhooks, role } from '../migrations.ts';
import { syncEndpoint } from './endpoints.ts';

const owner = { organization: 'demo', environment: 'test' } as const;
const at = '2026-03-01T10:00:00.000Z';

describeWithPostgres('what deliveries know of registrations', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await testDatabase();
    await migrateWebhooks({ databaseUrl: database.url });
    pool = openPool({ url: database.url, applicationName: 'spec', role, connectionsMax: 2 });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  test('many are brought in line at once on fewer sessions', async () => {
    const dataKeys = postgresDataKeys({ pool, masterKeys: [{ id: '1', key: randomBytes(32) }] });
    const store = postgresEventStore({ pool, schema: eventsSchema, dataKeys });
    const handle = handlerIn(store);
    const ids = Array.from({ length: 30 }, () => randomUUID());
    const metadata = { correlationId: 'req-1', causationId: 'req-1', ...owner };
    for (const webhookId of ids) {
      const url = 'https://receiver.example/';
      const secret = { sealedSecret: 'c2VhbGVk', secretHint: 'aled' };
      const webhook = { ...owner, ...secret, url, events: ['test'] as const, metadata: null, registeredAt: at };
      await handle({ type: 'RegisterWebhook', webhookId, webhook }, { metadata });
    }
    await Promise.all(ids.map((id) => syncEndpoint(pool, store, id)));
    const { rows } = await database.pool.query<{ id: string }>('SELECT id FROM webhooks.endpoint WHERE active');
    expect(rows.map(({ id }) => id).sort()).toEqual(ids.sort());
    await store.close();
  });
});
