import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { createHmac } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { clientOf, connected, until, type Client, type Json } from './client.ts';

type Got = Readonly<{ path: string; headers: Readonly<Record<string, string>>; body: string }>;
type Registered = Json & Readonly<{ id: string; secret: string; url: string }>;

/** By the contract's own signature and by any library of Standard Webhooks. */
const verifies = (secret: string, { headers, body }: Got): boolean => {
  const [t, ...signatures] = String(headers['service-signature']).split(',');
  const own = createHmac('sha256', secret)
    .update(`${t?.slice(2)}.${body}`)
    .digest('hex');
  return new Webhook(secret).verify(body, headers) !== undefined && signatures.includes(`v1=${own}`);
};

describeWithPostgres('webhooks', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  const got: Got[] = [];
  const statuses: Record<string, number> = {};
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const path = request.url ?? '';
      got.push({ path, headers: request.headers as Got['headers'], body });
      response.writeHead(statuses[path] ?? 200).end();
    });
  });
  let base: string;
  let system: System;
  let client: Client;
  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    base = `http://${host}`;
    system = await startSystem({ dataDir, env: { CAUSEWAY_WEBHOOK_ALLOWED_HOSTS: host } });
    client = clientOf(system);
  });
  afterAll(async () => {
    await system.stop();
    receiver.close();
    discardSystem(dataDir);
  });

  const at = (path: string) => got.filter((one) => one.path === path);
  const sent = (path: string, count = 1) => until(`${path} gets ${count}`, async () => at(path).length >= count);
  const register = async (path: string, more: object = {}): Promise<Registered> => {
    const { status, body } = await client.send('POST', '/v1/webhooks', {
      ...{ url: base + path, events: ['test', 'connection.status_changed', 'transactions.sync_available'] },
      ...more,
    });
    expect(status).toBe(201);
    return body['webhook'] as Registered;
  };
  const test1 = async ({ id }: Registered) => client.send('POST', `/v1/webhooks/${id}/test`);
  const typeOf = ({ status, body }: { status: number; body: Json }) => [status, body['type']];

  test('a registration is listed and read with its secret masked, changed and deleted', async () => {
    const webhook = await register('/life', { metadata: { a: 1 }, events: ['test', 'transfer.status_changed'] });
    expect(webhook.secret).toMatch(/^whsec_.{44}$/);
    const read = { ...webhook, secret: `whsec_…${webhook.secret.slice(-4)}` };
    expect((await client.get(`/v1/webhooks/${webhook.id}`)).body).toEqual(read);
    expect(await client.all('/v1/webhooks')).toContainEqual(read);
    const path = `/v1/webhooks/${webhook.id}`;
    const changed = await client.send('PATCH', path, { url: `${base}/moved`, metadata: null, active: false });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      ...{ ...read, url: `${base}/moved`, metadata: {}, active: false },
      updatedAt: expect.any(String) as string,
    });
    expect((await client.get(path)).body).toEqual(changed.body);
    expect((await client.send('PATCH', path, {})).body).toEqual(changed.body);
    expect((await client.send('DELETE', path)).status).toBe(204);
    for (const [method, below] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
    ] as const) {
      expect(typeOf(await client.send(method, path + below))).toEqual([404, 'not_found']);
    }
    for (const below of ['/test', '/rotateSecret', '/redeliver', `/deliveries/evt_${'0'.repeat(26)}/redeliver`]) {
      expect(typeOf(await client.send('POST', path + below))).toEqual([404, 'not_found']);
    }
  });

  test.each([
    [{ url: null }, 'url'],
    [{ url: 'ftp://example.com' }, 'url'],
    [{ url: 'https://169.254.169.254/' }, 'url'],
    [{ url: `https://example.com/${'x'.repeat(2048)}` }, 'url'],
    [{ events: [] }, 'events'],
    [{ events: ['nothing'] }, 'events'],
    [{ active: null }, 'active'],
    [{ active: 'no' }, 'active'],
    [{ metadata: [] }, 'metadata'],
    [{ secret: 'whsec_x' }, 'secret'],
  ])('a change to %j is refused, and the field is named', async (change, field) => {
    const { id } = await register('/refused');
    const { status, body } = await client.send('PATCH', `/v1/webhooks/${id}`, change);
    const { errors } = body['details'] as { errors: { path: string }[] };
    expect([status, body['type'], [...new Set(errors.map(({ path }) => path))]]).toEqual([
      ...[400, 'invalid_request'],
      [field],
    ]);
    await client.send('DELETE', `/v1/webhooks/${id}`);
  });

  test('what happens is told, signed so that both ways of verifying hold, and shows in the log', async () => {
    const webhook = await register('/told');
    const connectionId = await connected(client, 'sandbox-instant');
    await sent('/told');
    const one = at('/told').find(({ body }) => body.includes('transactions.sync_available')) as Got;
    expect(verifies(webhook.secret, one)).toBe(true);
    const event = JSON.parse(one.body) as Json;
    expect(event).toMatchObject({ type: 'transactions.sync_available', data: { connectionId, accountId: null } });
    const deliveries = `/v1/webhooks/${webhook.id}/deliveries`;
    await until('it is delivered', async () => (await client.all(`${deliveries}?status=pending`)).length === 0);
    expect(await client.all(deliveries)).toContainEqual({
      ...{ eventId: event['id'], type: event['type'], createdAt: event['createdAt'], status: 'delivered' },
      nextAttemptAt: null,
      attempts: [{ at: expect.stringMatching(/Z$/), statusCode: 200, durationMs: expect.any(Number), error: null }],
    });
    await client.send('DELETE', `/v1/webhooks/${webhook.id}`);
  });

  test('the log is paged newest first, by status, and a cursor is of its own query alone', async () => {
    const [webhook, other] = [await register('/paged'), await register('/other')];
    const eventIds: unknown[] = [];
    for (let n = 0; n < 3; n++) eventIds.unshift((await test1(webhook)).body['eventId']);
    await sent('/paged', 3);
    const path = `/v1/webhooks/${webhook.id}/deliveries`;
    expect((await client.all(`${path}?limit=1`)).map(({ eventId }) => eventId)).toEqual(eventIds);
    expect(await client.all(`${path}?status=exhausted`)).toEqual([]);
    const { body } = await client.get(`${path}?limit=1`);
    const cursor = encodeURIComponent((body['pagination'] as { nextCursor: string }).nextCursor);
    for (const wrong of [
      `${path}?status=delivered&cursor=${cursor}`,
      `/v1/webhooks/${other.id}/deliveries?cursor=${cursor}`,
      `${path}?cursor=x`,
    ]) {
      expect(typeOf(await client.get(wrong))).toEqual([400, 'invalid_cursor']);
    }
    for (const wrong of ['limit=0', 'limit=501', 'limit=x', 'status=done', 'since=2026-01-01']) {
      expect(typeOf(await client.get(`${path}?${wrong}`))).toEqual([400, 'invalid_request']);
    }
    for (const { id } of [webhook, other]) await client.send('DELETE', `/v1/webhooks/${id}`);
  });

  test('after a rotation old and new secret verify what is sent', async () => {
    const webhook = await register('/rotated');
    const { status, body } = await client.send('POST', `/v1/webhooks/${webhook.id}/rotateSecret`);
    const { secret } = body['webhook'] as Registered;
    expect([status, secret === webhook.secret]).toEqual([200, false]);
    await test1(webhook);
    await sent('/rotated');
    expect([webhook.secret, secret].map((one) => verifies(one, at('/rotated')[0] as Got))).toEqual([true, true]);
    await client.send('DELETE', `/v1/webhooks/${webhook.id}`);
  });

  test('one delivery, or all that were not, are sent again; of an inactive registration none', async () => {
    const webhook = await register('/again');
    const path = `/v1/webhooks/${webhook.id}`;
    statuses['/again'] = 500;
    const eventId = String((await test1(webhook)).body['eventId']);
    await sent('/again');
    statuses['/again'] = 200;
    const [since, never] = ['2020-01-01T00:00:00+01:00', '2999-01-01T00:00:00Z'];
    expect((await client.send('POST', `${path}/redeliver`, { since: never })).body['queued']).toBe(0);
    const all = await client.send('POST', `${path}/redeliver`, { since });
    expect([all.status, all.body['queued'], typeof (all.body['meta'] as Json)['requestId']]).toEqual([
      202,
      1,
      'string',
    ]);
    await sent('/again', 2);
    const one = await client.send('POST', `${path}/deliveries/${eventId}/redeliver`);
    expect([one.status, one.body['queued']]).toEqual([202, 1]);
    await sent('/again', 3);
    expect(new Set(at('/again').map(({ body }) => body)).size).toBe(1);
    for (const unknown of [`evt_${'0'.repeat(26)}`, 'x', '%00']) {
      const answer = await client.send('POST', `${path}/deliveries/${unknown}/redeliver`);
      expect(typeOf(answer)).toEqual([404, 'not_found']);
    }
    for (const wrong of [{}, { since: 'yesterday' }, { since: null }, { since, until: since }]) {
      expect(typeOf(await client.send('POST', `${path}/redeliver`, wrong))).toEqual([400, 'invalid_request']);
    }
    await client.send('PATCH', path, { active: false });
    for (const [below, body] of [[`deliveries/${eventId}/redeliver`], ['redeliver', { since }], ['test']] as const) {
      expect(typeOf(await client.send('POST', `${path}/${below}`, body))).toEqual([409, 'conflict']);
    }
    expect((await client.all(`${path}/deliveries`)).map((row) => row['eventId'])).toEqual([eventId]);
    await client.send('DELETE', path);
  });

  test('one that is not subscribed to tests gets none', async () => {
    const webhook = await register('/untested', { events: ['account.created'] });
    expect(typeOf(await test1(webhook))).toEqual([409, 'conflict']);
    await client.send('DELETE', `/v1/webhooks/${webhook.id}`);
  });

  test('of the other environment a registration is unknown', async () => {
    const { id } = await register('/mine');
    const live = clientOf({ ...system, testKey: system.liveKey });
    const calls = [
      ...(['GET', 'PATCH', 'DELETE'] as const).map((method) => [method, `/v1/webhooks/${id}`] as const),
      ['GET', `/v1/webhooks/${id}/deliveries`] as const,
      ...['test', 'rotateSecret', 'redeliver'].map((what) => ['POST', `/v1/webhooks/${id}/${what}`] as const),
    ];
    for (const [method, path] of calls) expect(typeOf(await live.send(method, path))).toEqual([404, 'not_found']);
    await client.send('DELETE', `/v1/webhooks/${id}`);
  });
});
