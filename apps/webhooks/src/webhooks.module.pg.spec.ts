import {
  connectionsEvents,
  deleteWebhook,
  messageOf,
  oneTimeKey,
  registerWebhook,
  syncCompleted,
  testWebhook,
  webhooksCommands,
  type CommandContract,
} from '@causeway/contracts';
import { noDataKeys } from '@causeway/data-keys';
import { postgresEventStore } from '@causeway/event-store-postgres';
import type { Message, Reply } from '@causeway/messaging';
import { inProcessBroker, type InProcessBroker } from '@causeway/messaging-in-process';
import { messageServer } from '@causeway/messaging-nest';
import { eventually } from '@causeway/messaging/testing';
import { HEALTH, type Health } from '@causeway/observability';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { handlerIn } from './commands/commands.ts';
import type { WebhooksConfig } from './config.ts';
import { migrateWebhooks } from './migrations.ts';
import { WebhooksModule, webhooksTopics } from './webhooks.module.ts';

const scope = { organization: 'demo', environment: 'test' } as const;
const connectionId = '0190b3a0-0000-7000-8000-00000000000c';

type Got = Readonly<{ path: string; headers: Record<string, unknown>; body: string }>;

describeWithPostgres('the webhooks service', () => {
  const got: Got[] = [];
  const statuses: Record<string, number> = {};
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const path = request.url ?? '';
      got.push({ path, headers: request.headers, body });
      response.writeHead(statuses[path] ?? 200).end();
    });
  });
  let database: TestDatabase;
  let config: WebhooksConfig;
  let base = '';

  type Running = Readonly<{ broker: InProcessBroker; app: INestMicroservice }>;
  let running: Running;
  const start = async (): Promise<Running> => {
    const broker = inProcessBroker({ deadLetters: { add: async () => undefined } });
    const strategy = messageServer(broker, { group: 'webhooks', topics: webhooksTopics });
    const app = await NestFactory.createMicroservice(WebhooksModule.register(config), { strategy, logger: false });
    await app.listen();
    broker.open();
    return { broker, app };
  };
  const stop = async ({ broker, app }: Running): Promise<void> => {
    await broker.close();
    await app.close();
  };

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    base = `http://${host}`;
    database = await testDatabase();
    config = {
      databaseUrl: database.url,
      masterKeys: [{ id: '1', key: randomBytes(32) }],
      eventStore: { kind: 'postgres' },
      allowedHosts: [host],
      deliveryTimeoutMs: 1000,
      retryPausesMs: [50, 50],
      webhooksMax: 0,
      logLevel: 'silent',
    };
    await Promise.all([migrateWebhooks(config), migrateWebhooks(config)]);
    running = await start();
  });
  beforeEach(() => void (got.length = 0));
  afterAll(async () => {
    await stop(running);
    receiver.close();
    await database.drop();
  });

  const causes = () => ({ id: randomUUID(), correlationId: 'req-1', causationId: 'req-1' });
  const ask = <C extends object, R extends object>(contract: CommandContract<C, R>, command: C): Promise<Reply<R>> =>
    running.broker.request<R>(webhooksCommands, messageOf(contract, command, causes()), 10_000);
  const register = async (
    path: string,
    whose: typeof scope | { organization: string; environment: 'live' } = scope,
  ) => {
    const events = ['transactions.sync_available', 'test'] as const;
    const { publicKey: sealTo, open } = await oneTimeKey();
    const reply = await ask(registerWebhook, { ...whose, url: base + path, events, metadata: null, sealTo });
    if (!reply.ok) throw new Error(reply.problem.message);
    const { webhook, sealedSecret } = reply.data;
    return { webhook, secret: await open(sealedSecret) };
  };
  const completed = (changes: number): Message => {
    const data = { ...scope, entityId: randomUUID(), connectionId, runId: randomUUID(), changes };
    return messageOf(syncCompleted, { ...data, completedAt: new Date().toISOString() }, causes());
  };
  const gotAt = (path: string) => got.filter((request) => request.path === path);
  const rows = async () => (await database.pool.query<object>('SELECT * FROM read_models.webhooks_v1')).rows;
  const signedBy = ({ secret }: Readonly<{ secret: string }>, { headers, body }: Got): boolean => {
    const [, t, v1] = /^t=(.*),v1=(.*)$/.exec(String(headers['service-signature'])) ?? [];
    return createHmac('sha256', secret).update(`${t}.${body}`).digest('hex') === v1;
  };

  test('a registration is answered with its secret, and shows in the read model without it', async () => {
    const { webhook, secret } = await register('/registered');
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toMatchObject({ ...scope, url: `${base}/registered`, active: true, secretHint: secret.slice(-4) });
    const shown = { id: webhook.id, active: true, secret_hint: secret.slice(-4), created_at: webhook.createdAt };
    expect(await rows()).toContainEqual(expect.objectContaining(shown));
    const { rows: stored } = await database.pool.query('SELECT * FROM webhooks_events.append');
    expect(JSON.stringify([await rows(), stored])).not.toContain(secret.slice('whsec_'.length));
  });

  const unsealed = { events: ['test' as const], metadata: null, sealTo: '' };
  test('an address that webhooks may not reach is refused, naming the field', async () => {
    const reply = await ask(registerWebhook, { ...scope, ...unsealed, url: 'https://10.0.0.1/' });
    expect(reply).toEqual({
      ok: false,
      problem: {
        status: 400,
        type: 'invalid_request',
        message: 'url must be a public address.',
        details: { errors: [{ path: 'url', message: 'must be a public address' }] },
      },
    });
  });

  test('a sync that changed something is told once, signed; one that did not is not', async () => {
    const registered = await register('/synced');
    const message = completed(2);
    await running.broker.publish(connectionsEvents, [completed(0), message, message]);
    await eventually(() => expect(gotAt('/synced')).toHaveLength(1));
    await sleep(300);
    const [request, ...others] = gotAt('/synced');
    expect(others).toEqual([]);
    expect(signedBy(registered, request as Got)).toBe(true);
    const body = JSON.parse(request?.body ?? '') as { id: string };
    expect(body).toEqual({
      id: request?.headers['service-event-id'],
      type: 'transactions.sync_available',
      createdAt: (message.data as { completedAt: string }).completedAt,
      data: { connectionId, entityId: (message.data as { entityId: string }).entityId, accountId: null },
    });
  });

  test('a live registration hears nothing of test data', async () => {
    await register('/live', { organization: 'demo', environment: 'live' });
    const control = await register('/control');
    await running.broker.publish(connectionsEvents, [completed(1)]);
    await eventually(() => expect(gotAt('/control')).toHaveLength(1));
    expect(gotAt('/live')).toEqual([]);
    await ask(deleteWebhook, { ...scope, webhookId: control.webhook.id });
  });

  test('a test goes to the one registration, under the id that was answered', async () => {
    const { webhook } = await register('/tested');
    const reply = await ask(testWebhook, { ...scope, webhookId: webhook.id });
    await eventually(() => expect(gotAt('/tested')).toHaveLength(1));
    const body = JSON.parse(gotAt('/tested')[0]?.body ?? '') as { id: string; data: object };
    expect(reply).toEqual({ ok: true, data: { eventId: body.id } });
    expect(body.data).toEqual({ webhookId: webhook.id });
    expect(got).toHaveLength(1);
  });

  test('of another organization a registration is unknown', async () => {
    const { webhook } = await register('/foreign');
    const foreign = { organization: 'other', environment: 'test', webhookId: webhook.id } as const;
    const unknown = { ok: false, problem: { status: 404, type: 'not_found', message: 'There is no such webhook.' } };
    expect(await ask(testWebhook, foreign)).toEqual(unknown);
    expect(await ask(deleteWebhook, foreign)).toEqual(unknown);
  });

  test('410 disables it: it shows as inactive, takes no test, and is told nothing more', async () => {
    statuses['/gone'] = 410;
    const { webhook } = await register('/gone');
    await running.broker.publish(connectionsEvents, [completed(1)]);
    await eventually(async () => {
      expect(await rows()).toContainEqual(expect.objectContaining({ id: webhook.id, active: false }));
    });
    expect(await ask(testWebhook, { ...scope, webhookId: webhook.id })).toMatchObject({ problem: { status: 409 } });
    await running.broker.publish(connectionsEvents, [completed(1)]);
    await sleep(300);
    expect(gotAt('/gone')).toHaveLength(1);
  });

  test('one that fails after five days of failures is disabled', async () => {
    statuses['/failing'] = 500;
    const { webhook } = await register('/failing');
    const sql = `UPDATE webhooks.endpoint SET failing_since = now() - interval '121 hours' WHERE id = $1`;
    await database.pool.query(sql, [webhook.id]);
    await running.broker.publish(connectionsEvents, [completed(1)]);
    await eventually(async () => {
      expect(await rows()).toContainEqual(expect.objectContaining({ id: webhook.id, active: false }));
    });
  });

  test('a deletion whose command did not live to tell deliveries of it takes effect all the same', async () => {
    const { webhook } = await register('/orphaned');
    const store = postgresEventStore({ pool: database.pool, schema: 'webhooks_events', dataKeys: noDataKeys });
    const metadata = { correlationId: 'req-1', causationId: 'req-1', ...scope };
    const command = { type: 'DeleteWebhook', webhookId: webhook.id, owner: scope, at: webhook.createdAt } as const;
    expect(await handlerIn(store)(command, { metadata })).toMatchObject({ outcome: 'accepted' });
    await store.close();
    await eventually(async () => {
      const sql = 'SELECT active FROM webhooks.endpoint WHERE id = $1';
      expect((await database.pool.query<object>(sql, [webhook.id])).rows).toEqual([{ active: false }]);
    });
  });

  test('once a deletion is answered, nothing is sent, and nothing shows', async () => {
    statuses['/deleted'] = 500;
    const { webhook } = await register('/deleted');
    await running.broker.publish(connectionsEvents, [completed(1)]);
    await eventually(() => expect(gotAt('/deleted').length).toBeGreaterThan(0));
    expect(await ask(deleteWebhook, { ...scope, webhookId: webhook.id })).toMatchObject({ ok: true });
    const before = gotAt('/deleted').length;
    await running.broker.publish(connectionsEvents, [completed(1)]);
    await sleep(500);
    expect(gotAt('/deleted')).toHaveLength(before);
    expect(await rows()).not.toContainEqual(expect.objectContaining({ id: webhook.id }));
    expect(await ask(deleteWebhook, { ...scope, webhookId: webhook.id })).toMatchObject({ problem: { status: 404 } });
  });

  test('a restart finds registrations, secrets and what was not sent yet', async () => {
    statuses['/restarted'] = 503;
    const registered = await register('/restarted');
    await running.broker.publish(connectionsEvents, [completed(1)]);
    await eventually(() => expect(gotAt('/restarted').length).toBeGreaterThan(0));
    await stop(running);
    statuses['/restarted'] = 200;
    got.length = 0;
    running = await start();
    await eventually(() => expect(gotAt('/restarted')).toHaveLength(1));
    expect(signedBy(registered, gotAt('/restarted')[0] as Got)).toBe(true);
    expect(running.app.get<Health>(HEALTH).ready()).toBe(true);
  });
});
