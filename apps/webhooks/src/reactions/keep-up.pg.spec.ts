import { noDataKeys } from '@causeway/data-keys';
import type { Sequenced } from '@causeway/event-sourcing';
import { postgresEventStore } from '@causeway/event-store-postgres';
import { inTransaction, openPool, type Pool } from '@causeway/postgres';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { handlerIn } from '../commands/commands.ts';
import { eventsSchema, migrateWebhooks, role } from '../migrations.ts';
import { concerned, keepUp } from './keep-up.ts';

const owner = { organization: 'demo', environment: 'test' } as const;
const at = '2026-03-01T10:00:00.000Z';
const metadata = { correlationId: 'req-1', causationId: 'req-1', ...owner };

describeWithPostgres('what deliveries know', () => {
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await testDatabase();
    await migrateWebhooks({ databaseUrl: database.url });
    pool = openPool({ url: database.url, applicationName: 'spec', role, connectionsMax: 4 });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  test('of a registration with an event that cannot be folded is what came before; the others are kept up with', async () => {
    const store = postgresEventStore({ pool, schema: eventsSchema, dataKeys: noDataKeys });
    const handle = handlerIn(store);
    const [sick, well] = [randomUUID(), randomUUID()];
    for (const webhookId of [sick, well]) {
      const secret = { sealedSecret: 'c2VhbGVk', secretHint: 'aled' };
      const url = 'https://receiver.example/';
      const webhook = { ...owner, ...secret, url, events: ['test'] as const, metadata: null, registeredAt: at };
      await handle({ type: 'RegisterWebhook', webhookId, webhook }, { metadata });
    }
    const warned: unknown[] = [];
    const log = { warn: (what: unknown) => void warned.push(what) };
    const take = async (): Promise<void> => {
      const streams = await Promise.all([sick, well].map((id) => store.readStream(`webhook-${id}`)));
      const events = streams.flat() as Sequenced[];
      await inTransaction(pool, (tx) => keepUp(tx, { store, log }, events));
    };
    await take();
    expect(warned).toEqual([]);
    const change = (id: string, type: string) =>
      store.append({
        ...{ stream: `webhook-${id}`, expected: 0 as never, metadata, dataKey: null },
        events: [{ id: randomUUID(), type, data: { reason: 'by_owner', disabledAt: at } }],
      });
    await change(sick, 'WebhookMovedToMars');
    await change(well, 'WebhookDisabled');
    await take();
    expect(warned).toEqual([{ webhookId: sick }]);
    const { rows } = await pool.query('SELECT id, active FROM webhooks.endpoint ORDER BY active');
    expect(rows).toEqual([
      { id: well, active: false },
      { id: sick, active: true },
    ]);
    await store.close();
  });
});

const event = (stream: string, type: string, data: object): Sequenced =>
  ({ stream, type, data }) as unknown as Sequenced;

test.each([
  ['of its own', event('webhook-w1', 'WebhookDeleted', {}), ['w1']],
  ['that its events are mended', event('parking-webhook-w1', 'StreamMended', { projection: 'webhooks' }), ['w1']],
  ['that they are held back', event('parking-webhook-w1', 'StreamParked', { projection: 'webhooks' }), []],
  ['of something else', event('other-w1', 'WebhookDeleted', {}), []],
])('a registration is concerned by an event %s: %j', (_, given, ids) => {
  expect(concerned(given)).toEqual(ids);
});
