import { connectionsEvents, deleteWebhook, registerWebhook, testWebhook } from '@causeway/contracts';
import { noDataKeys } from '@causeway/data-keys';
import { postgresEventStore } from '@causeway/event-store-postgres';
import { eventually } from '@causeway/messaging/testing';
import { HEALTH, type Health } from '@causeway/observability';
import { describeWithPostgres } from '@causeway/testing';
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { handlerIn } from './commands/commands.ts';
import { connectionId, scope, serviceUnderTest, type Got } from '../testing/service-under-test.ts';

describeWithPostgres('the webhooks service', () => {
  const { got, statuses, ask, base, database, running, start, stop, gotAt, rows, register, completed } =
    serviceUnderTest();
  const signedBy = ({ secret }: Readonly<{ secret: string }>, { headers, body }: Got): boolean => {
    const [, t, v1] = /^t=(.*),v1=(.*)$/.exec(String(headers['service-signature'])) ?? [];
    return createHmac('sha256', secret).update(`${t}.${body}`).digest('hex') === v1;
  };

  test('a registration is answered with its secret, and shows in the read model without it', async () => {
    const { webhook, secret } = await register('/registered');
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toMatchObject({ url: `${base()}/registered`, active: true, secretHint: secret.slice(-4) });
    const shown = { id: webhook.id, active: true, secret_hint: secret.slice(-4), created_at: webhook.createdAt };
    expect(await rows()).toContainEqual(expect.objectContaining(shown));
    const { rows: stored } = await database().pool.query('SELECT * FROM webhooks_events.append');
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
    await running().broker.publish(connectionsEvents, [completed(0), message, message]);
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
    await running().broker.publish(connectionsEvents, [completed(1)]);
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
    await running().broker.publish(connectionsEvents, [completed(1)]);
    await eventually(async () => {
      expect(await rows()).toContainEqual(expect.objectContaining({ id: webhook.id, active: false }));
    });
    expect(await ask(testWebhook, { ...scope, webhookId: webhook.id })).toMatchObject({ problem: { status: 409 } });
    await running().broker.publish(connectionsEvents, [completed(1)]);
    await sleep(300);
    expect(gotAt('/gone')).toHaveLength(1);
  });

  test('one that fails after five days of failures is disabled', async () => {
    statuses['/failing'] = 500;
    const { webhook } = await register('/failing');
    const sql = `UPDATE webhooks.endpoint SET failing_since = now() - interval '121 hours' WHERE id = $1`;
    await database().pool.query(sql, [webhook.id]);
    await running().broker.publish(connectionsEvents, [completed(1)]);
    await eventually(async () => {
      expect(await rows()).toContainEqual(expect.objectContaining({ id: webhook.id, active: false }));
    });
  });

  test('a deletion whose command did not live to tell deliveries of it takes effect all the same', async () => {
    const { webhook } = await register('/orphaned');
    const store = postgresEventStore({ pool: database().pool, schema: 'webhooks_events', dataKeys: noDataKeys });
    const metadata = { correlationId: 'req-1', causationId: 'req-1', ...scope };
    const command = { type: 'DeleteWebhook', webhookId: webhook.id, owner: scope, at: webhook.createdAt } as const;
    expect(await handlerIn(store)(command, { metadata })).toMatchObject({ outcome: 'accepted' });
    await store.close();
    await eventually(async () => {
      const sql = 'SELECT active FROM webhooks.endpoint WHERE id = $1';
      expect((await database().pool.query<object>(sql, [webhook.id])).rows).toEqual([{ active: false }]);
    });
  });

  test('once a deletion is answered, nothing is sent, and nothing shows', async () => {
    statuses['/deleted'] = 500;
    const { webhook } = await register('/deleted');
    await running().broker.publish(connectionsEvents, [completed(1)]);
    await eventually(() => expect(gotAt('/deleted').length).toBeGreaterThan(0));
    expect(await ask(deleteWebhook, { ...scope, webhookId: webhook.id })).toMatchObject({ ok: true });
    const before = gotAt('/deleted').length;
    await running().broker.publish(connectionsEvents, [completed(1)]);
    await sleep(500);
    expect(gotAt('/deleted')).toHaveLength(before);
    expect(await rows()).not.toContainEqual(expect.objectContaining({ id: webhook.id }));
    expect(await ask(deleteWebhook, { ...scope, webhookId: webhook.id })).toMatchObject({ problem: { status: 404 } });
  });

  test('a restart finds registrations, secrets and what was not sent yet', async () => {
    statuses['/restarted'] = 503;
    const registered = await register('/restarted');
    await running().broker.publish(connectionsEvents, [completed(1)]);
    await eventually(() => expect(gotAt('/restarted').length).toBeGreaterThan(0));
    await stop();
    statuses['/restarted'] = 200;
    got.length = 0;
    await start();
    await eventually(() => expect(gotAt('/restarted')).toHaveLength(1));
    expect(signedBy(registered, gotAt('/restarted')[0] as Got)).toBe(true);
    expect(running().app.get<Health>(HEALTH).ready()).toBe(true);
  });
});
