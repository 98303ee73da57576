import { cursors } from '@causeway/http';
import { describeWithPostgres, discardSystem, startSystem, testCursorSecrets } from '@causeway/testing';
import { testDatabase, type System, type TestDatabase } from '@causeway/testing';
import { mkdtempSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, connected, happen, until, type Answer, type Client, type Json } from './client.ts';
import { refused, undocumented } from './documented.ts';
import { operations } from './interface.ts';

/** What depends on the state of things. What depends on the request alone, the matrix asks of every operation. */
const types = ['conflict', 'cursor_expired', 'preflight_failed', 'rate_limited', 'unavailable'];
/** Answered from memory, whatever is away; and that of `/readyz` is no error. */
const needNothing = ['/healthz', '/readyz', '/openapi.json', '/docs', '/.well-known/jwks.json'];

/** More than all that is asked for here otherwise. */
const burst = 3000;

/** The way to a database, which can be closed. */
const gateTo = async (url: URL) => {
  const sockets = new Set<Socket>();
  const kept = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const gate = createServer((client) => {
    const server = kept(connect(Number(url.port), url.hostname));
    kept(client).pipe(server).pipe(client);
  });
  await new Promise<void>((done) => gate.listen(0, '127.0.0.1', done));
  const through = new URL(url);
  through.port = String((gate.address() as AddressInfo).port);
  const close = (): void => {
    gate.close();
    sockets.forEach((socket) => socket.resetAndDestroy());
  };
  return { url: through.href, close };
};

describeWithPostgres('every error of the document that depends on the state of things', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  let database: TestDatabase;
  let gate: Awaited<ReturnType<typeof gateTo>>;
  let system: System;
  let client: Client;
  /** Of everything that a path can name, one. */
  const ids: Record<string, string> = { institutionId: 'sandbox-instant' };
  let order: Json;

  beforeAll(async () => {
    database = await testDatabase();
    gate = await gateTo(new URL(database.url));
    const limits = { CAUSEWAY_REQUESTS_PER_SECOND: '1', CAUSEWAY_REQUEST_BURST: String(burst) };
    const quotas = { CAUSEWAY_MAX_CONNECTIONS: '2', CAUSEWAY_MAX_WEBHOOKS: '1' };
    const env = { ...limits, ...quotas, CAUSEWAY_SYNC_INTERVAL_SECONDS: '0', CAUSEWAY_DATABASE_URL: gate.url };
    system = await startSystem({ dataDir, env });
    client = clientOf(system);
  });
  afterAll(async () => {
    await system.stop();
    gate.close();
    discardSystem(dataDir);
    await database.drop();
  });

  const pathOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
  const made = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await client.send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const isRefused = async (type: string, method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await client.send(method, path, body);
    expect([method, path, answer.body['type']]).toEqual([method, path, type]);
    return answer;
  };
  const accountOf = async (type: string): Promise<string> =>
    String((await client.all(`/v1/accounts?currency=USD&type=${type}`))[0]?.id);
  const transferReaches = (status: string) =>
    until(status, async () => (await client.get(`/v1/transfers/${ids['transferId']}`)).body['status'] === status);

  test('conflict, of entities and connections', async () => {
    const entity = { externalEntityId: 'one' };
    ids['entityId'] = String((await made('POST', '/v1/entities', entity))['entityId']);
    await isRefused('conflict', 'POST', '/v1/entities', entity);
    const [own] = (await client.all('/v1/entities')).filter((each) => each['isDefaultOrgEntity']);
    await isRefused('conflict', 'DELETE', `/v1/entities/${String(own?.['entityId'])}`);

    ids['connectionId'] = await connected(client, 'sandbox-instant', ids['entityId']);
    const draft = await made('POST', '/v1/connections', { institutionId: 'sandbox-delegated' });
    await isRefused('conflict', 'POST', '/v1/connections', { institutionId: 'sandbox-slow' });
    await isRefused('conflict', 'PUT', `/v1/connections/${String(draft['id'])}/sync`);
    await isRefused('conflict', 'PUT', pathOf('/v1/connections/{connectionId}/setupCompletion'));
  });

  test('conflict and preflight_failed, of transfers', async () => {
    ids['accountId'] = await accountOf('checking');
    ids['transactionId'] = String((await client.all('/v1/transactions?limit=500'))[0]?.id);
    const destination = { type: 'account', accountId: await accountOf('savings') };
    const amount = { currency: 'USD', value: '1.00' };
    order = { type: 'internal', amount, sourceAccountId: ids['accountId'], destination };
    const much = { ...order, amount: { currency: 'USD', value: '999999999.00' } };
    await isRefused('preflight_failed', 'POST', '/v1/transfers', much);
    const key = { 'idempotency-key': 'one' };
    ids['transferId'] = String((await client.send('POST', '/v1/transfers', order, key)).body['id']);
    expect((await client.send('POST', '/v1/transfers', { ...order, memo: 'other' }, key)).body['type']).toBe(
      'conflict',
    );
    await transferReaches('completed');
    for (const verb of ['retry', 'cancel'])
      await isRefused('conflict', 'POST', pathOf(`/v1/transfers/{transferId}/${verb}`));
  });

  test('conflict, of webhooks', async () => {
    const registration = { url: 'https://receiver.example/hook', events: ['test'] };
    const { webhook } = (await made('POST', '/v1/webhooks', registration)) as { webhook: Json };
    ids['webhookId'] = String(webhook['id']);
    await isRefused('conflict', 'POST', '/v1/webhooks', registration);
    const path = pathOf('/v1/webhooks/{webhookId}');
    ids['eventId'] = String((await made('POST', `${path}/test`))['eventId']);
    await until('it is in the log', async () => (await client.all(`${path}/deliveries`)).length === 1);
    await made('PATCH', path, { active: false });
    await isRefused('conflict', 'POST', `${path}/test`);
    await isRefused('conflict', 'POST', `${path}/redeliver`, { since: '2026-01-01T00:00:00Z' });
    await isRefused('conflict', 'POST', pathOf('/v1/webhooks/{webhookId}/deliveries/{eventId}/redeliver'));
  });

  test('conflict, of credentials for a bank that has withdrawn its access', async () => {
    const path = pathOf('/v1/connections/{connectionId}');
    await happen(system, String(ids['connectionId']), 'revoke-access');
    await until('it is revoked', async () => {
      await client.send('PUT', `${path}/sync`);
      return (await client.get(path)).body['status'] === 'revoked';
    });
    await isRefused('conflict', 'PUT', `${path}/credentials`, { password: 'x' });
  });

  test('cursor_expired: a cursor of the feed that is older than 90 days', async () => {
    const cursor = Buffer.from(String((await client.get('/v1/transactions/sync')).body['nextCursor']), 'base64url');
    const [, ...key] = JSON.parse(cursor.subarray(16).toString()) as readonly string[];
    const binding = { organization: system.organization, environment: 'test', endpoint: '/v1/transactions/sync' };
    const issued = (daysAgo: number): string =>
      cursors(testCursorSecrets).seal({ ...binding, parameters: {} }, [`${Date.now() - daysAgo * 86_400_000}`, ...key]);
    await made('GET', `/v1/transactions/sync?cursor=${issued(89.9)}`);
    await isRefused('cursor_expired', 'GET', `/v1/transactions/sync?cursor=${issued(90.1)}`);
  });

  /** The least that is not refused for what it says. */
  const bodies: Readonly<Record<string, () => object>> = {
    'POST /v1/entities': () => ({ externalEntityId: 'another' }),
    'PATCH /v1/entities/{entityId}': () => ({ name: 'another' }),
    'POST /v1/connections': () => ({ institutionId: 'sandbox-large' }),
    'PUT /v1/connections/{connectionId}/credentials': () => ({ password: 'x' }),
    'POST /v1/transfers': () => order,
    'POST /v1/webhooks': () => ({ url: 'https://receiver.example/hook', events: ['test'] }),
    'PATCH /v1/webhooks/{webhookId}': () => ({ active: true }),
    'POST /v1/webhooks/{webhookId}/redeliver': () => ({ since: '2026-01-01T00:00:00Z' }),
  };
  const queries: Readonly<Record<string, () => string>> = {
    'GET /v1/balances/history': () => `?accountId=${ids['accountId']}&date=2026-01-01`,
  };
  const askEach = async (by: Client, type: string): Promise<void> => {
    for (const { method, path, scope, errors } of operations) {
      if (scope === null || !errors.includes(type)) continue;
      await until(`${method} ${path}: ${type}`, async () => {
        const operation = `${method} ${path}`;
        const { body } = await by.send(method, pathOf(path) + (queries[operation]?.() ?? ''), bodies[operation]?.());
        return body['type'] === type;
      });
    }
  };
  /** What a token is refused with. */
  const tokenRefused = async (key: string): Promise<unknown> => {
    const [, keyId = '', secret = ''] = /^svc_[a-z]+_([^_]+)_(.*)$/.exec(key) ?? [];
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: keyId, client_secret: secret });
    const answer = await fetch(`${system.baseUrl}/oauth/token`, { method: 'POST', body });
    const text = await answer.text();
    expect(undocumented('POST', '/oauth/token', answer.status, text)).toBeUndefined();
    return (JSON.parse(text) as Json)['type'];
  };

  /** More than a second's requests at once, until some are refused. */
  const exhaust = async (path: string, headers: Record<string, string> = {}): Promise<void> => {
    const ask = async (): Promise<number> => {
      const answer = await fetch(system.baseUrl + path, { headers });
      await answer.arrayBuffer();
      return answer.status;
    };
    while (!(await Promise.all(Array.from({ length: 100 }, ask))).includes(429));
  };

  test('rate_limited, by key and by address', async () => {
    const busy = clientOf({ ...system, testKey: system.liveKey });
    await exhaust('/v1/nothing', { authorization: `Bearer ${system.liveKey}` });
    await askEach(busy, 'rate_limited');
    await exhaust('/.well-known/jwks.json');
    for (const path of ['/openapi.json', '/.well-known/jwks.json'])
      await until(path, async () => (await client.get(path)).body['type'] === 'rate_limited');
    await until('a token', async () => (await tokenRefused('svc_test_none_none')) === 'rate_limited');
  });

  test('unavailable, once the database is away', async () => {
    gate.close();
    await askEach(client, 'unavailable');
    await until('a token', async () => (await tokenRefused(system.testKey)) === 'unavailable');
  });

  test('was answered', () => {
    const all = operations.flatMap(({ method, path, errors }) =>
      errors.flatMap((type) => {
        const isNever = type === 'unavailable' ? needNothing.includes(path) : path === '/docs';
        return types.includes(type) && !isNever ? `${method} ${path} ${type}` : [];
      }),
    );
    expect(all.filter((each) => !refused.has(each))).toEqual([]);
  });
});
