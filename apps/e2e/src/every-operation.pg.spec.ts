import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, connected, happen, until, type Client, type Json } from './client.ts';
import { succeeded, undocumented } from './documented.ts';
import { operations } from './interface.ts';

describeWithPostgres('every operation of the document', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  let system: System;
  let client: Client;
  let entityId: string;
  let connectionId: string;

  beforeAll(async () => {
    const env = { CAUSEWAY_REQUESTS_PER_SECOND: '0', CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0' };
    system = await startSystem({ dataDir, env });
    client = clientOf(system);
    entityId = String((await made('POST', '/v1/entities', { externalEntityId: 'one' }))['entityId']);
    connectionId = await connected(client, 'sandbox-instant', entityId);
  });
  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
  });

  /** The body of an answer that has to be a success. */
  const made = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await client.send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const accountOf = async (type: string): Promise<string> =>
    String((await client.all(`/v1/accounts?currency=USD&type=${type}`))[0]?.id);

  const ordered = async (more: object): Promise<string> => {
    const order = {
      type: 'internal',
      amount: { currency: 'USD', value: '1.00' },
      sourceAccountId: await accountOf('checking'),
      destination: { type: 'account', accountId: await accountOf('savings') },
    };
    return String((await made('POST', '/v1/transfers', { ...order, ...more }))['id']);
  };

  test('of entities', async () => {
    await made('GET', '/v1/entities');
    await made('GET', `/v1/entities/${entityId}`);
    expect(await made('PATCH', `/v1/entities/${entityId}`, { name: 'One' })).toMatchObject({ name: 'One' });
    const other = await made('POST', '/v1/entities', { externalEntityId: 'other' });
    await made('DELETE', `/v1/entities/${String(other['entityId'])}`);
  });

  test('of institutions and connections', async () => {
    await made('GET', '/v1/institutions');
    await made('GET', '/v1/institutions/sandbox-instant');
    await made('GET', '/v1/connections');
    await made('GET', `/v1/connections/${connectionId}`);
    await made('PUT', `/v1/connections/${connectionId}/sync`);
    const { id } = await made('POST', '/v1/connections', { institutionId: 'sandbox-delegated', entityId });
    const path = `/v1/connections/${String(id)}`;
    await made('PUT', `${path}/credentials`, { bankUsername: 'one', password: 'secret' });
    expect(await made('PUT', `${path}/setupCompletion`)).toMatchObject({ kind: 'setup', status: 'pendingActivation' });
    await made('DELETE', path);
  });

  test('of accounts, transactions and balances', async () => {
    const account = await accountOf('checking');
    const [transaction] = await client.all(`/v1/transactions?accountId=${account}`);
    await made('GET', `/v1/accounts/${account}`);
    expect(await made('GET', `/v1/transactions/${transaction?.id}`)).toMatchObject({ accountId: account });
    await made('GET', `/v1/transactions/${transaction?.id}/history`);
    await made('GET', '/v1/transactions/sync');
    const [balance] = await client.all(`/v1/balances?accountId=${account}`);
    await made('GET', `/v1/balances/history?accountId=${account}&date=${String(balance?.['date'])}`);
    await made('GET', `/v1/balances?accountId=${account}`);
  });

  test('of transfers', async () => {
    const later = await ordered({ executionDate: '2099-01-01' });
    expect(await made('POST', `/v1/transfers/${later}/cancel`)).toMatchObject({ status: 'cancelled' });
    await happen(system, connectionId, 'fail-next-payment', { code: 'rejected_by_bank' });
    const failing = await ordered({});
    const statusOf = async (id: string) => (await made('GET', `/v1/transfers/${id}`))['status'];
    await until('it fails', async () => (await statusOf(failing)) === 'failed');
    expect(await made('POST', `/v1/transfers/${failing}/retry`)).toMatchObject({ id: failing });
    await until('it is completed', async () => (await statusOf(failing)) === 'completed');
    await made('GET', '/v1/transfers');
  });

  test('of webhooks and their deliveries', async () => {
    const url = 'https://receiver.example/hook';
    const { webhook } = (await made('POST', '/v1/webhooks', { url, events: ['test'] })) as { webhook: Json };
    const path = `/v1/webhooks/${String(webhook['id'])}`;
    await made('GET', '/v1/webhooks');
    await made('GET', path);
    expect(await made('PATCH', path, { metadata: { a: 1 } })).toMatchObject({ metadata: { a: 1 } });
    await made('POST', `${path}/rotateSecret`);
    const { eventId } = await made('POST', `${path}/test`);
    const logged = async () => ((await made('GET', `${path}/deliveries`))['data'] as Json[]).length === 1;
    await until('it is in the log', logged);
    await made('POST', `${path}/deliveries/${String(eventId)}/redeliver`);
    await made('POST', `${path}/redeliver`, { since: '2026-01-01T00:00:00Z' });
    await made('DELETE', path);
  });

  test('that anyone may ask for', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/.well-known/jwks.json']) await made('GET', path);
    const [, , , keyId = '', secret = ''] = /^(svc)_(test)_([^_]+)_(.*)$/.exec(system.testKey) ?? [];
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: keyId, client_secret: secret });
    const answer = await fetch(`${system.baseUrl}/oauth/token`, { method: 'POST', body });
    expect([answer.status, undocumented('POST', '/oauth/token', answer.status, await answer.text())]).toEqual([
      200,
      undefined,
    ]);
  });

  test('was answered with a success', () => {
    // The page at /docs is no JSON: a browser looks at it in a spec of its own.
    const all = operations.flatMap(({ method, path }) => (path === '/docs' ? [] : `${method} ${path}`));
    expect([...succeeded].toSorted()).toEqual(all.toSorted());
  });
});
