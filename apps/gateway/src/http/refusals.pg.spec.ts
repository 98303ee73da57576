import {
  connectionsCommands,
  createConnection,
  createEntity,
  createTransfer,
  deleteConnection,
  deleteWebhook,
  eraseConnection,
  ledgerCommands,
  registerWebhook,
  syncConnection,
  testWebhook,
  transfersCommands,
  webhooksCommands,
} from '@causeway/contracts';
import type { Message, Reply } from '@causeway/messaging';
import { describeWithPostgres } from '@causeway/testing';
import { routes } from './routes.ts';
import { startGateway, type GatewayUnderTest } from './testing/gateway-under-test.ts';
import { insert } from './testing/tables.ts';

const connectionId = '11111111-1111-4111-8111-111111111111';
const webhookId = '22222222-2222-4222-8222-222222222222';
const unknownId = '99999999-9999-4999-8999-999999999999';
const at = '2026-01-02T03:04:05.678Z';
const owner = { organization: 'demo', environment: 'test' };

const connection = {
  ...owner,
  ...{
    id: connectionId,
    entityId: unknownId,
    kind: 'ready',
    institutionId: 'sandbox-instant',
    institutionName: 'Bank',
  },
  ...{ portalUrl: null, status: 'active', syncStatus: 'idle', lastSyncedAt: null, errorCode: null, errorMessage: null },
  ...{ createdAt: at, updatedAt: at },
};
const webhook = {
  ...owner,
  ...{ id: webhookId, url: 'https://example.com/hook', events: ['test'], secretHint: 'wxyz', active: true },
  ...{ metadata: null, createdAt: at, updatedAt: at },
};

const received: Message[] = [];
const replies = new Map<string, (message: Message) => Reply>([
  [
    createEntity.type,
    ({ data }) => ({
      ok: true,
      data: { ...data, entityId: unknownId, isDefaultOrgEntity: false, createdAt: at, updatedAt: at },
    }),
  ],
  [createConnection.type, () => ({ ok: true, data: { connection, created: true } })],
  [
    syncConnection.type,
    () => ({
      ok: false,
      problem: { status: 429, type: 'rate_limited', message: 'cooling down', details: { retryAfterSeconds: 4 } },
    }),
  ],
  [deleteConnection.type, () => ({ ok: true, data: { connectionId } })],
  [eraseConnection.type, () => ({ ok: true, data: { connectionId } })],
  [
    createTransfer.type,
    () => ({
      ok: false,
      problem: { status: 409, type: 'conflict', message: 'used', details: { transferId: unknownId } },
    }),
  ],
  [registerWebhook.type, () => ({ ok: true, data: { webhook, secret: 'whsec_whole' } })],
  [deleteWebhook.type, () => ({ ok: true, data: { webhookId } })],
  [
    testWebhook.type,
    () => {
      throw new Error('a bug of the owner');
    },
  ],
]);
const commands = new Map(
  [...replies].map(([type, reply]) => [
    type,
    async (message: Message): Promise<Reply> => {
      received.push(message);
      return reply(message);
    },
  ]),
);

describeWithPostgres('the gateway', () => {
  let gateway: GatewayUnderTest;
  const errors = (body: Record<string, unknown>): readonly { path: string }[] =>
    (body['details'] as { errors: { path: string }[] }).errors;

  beforeAll(async () => {
    const topics = [connectionsCommands, ledgerCommands, transfersCommands, webhooksCommands];
    gateway = await startGateway({ topics, commands });
    await insert(gateway.pool, 'connections', [connection]);
    await insert(gateway.pool, 'webhooks', [webhook]);
  });
  afterAll(() => gateway.close());
  beforeEach(() => received.splice(0));

  describe('every route', () => {
    const concrete = (path: string): string => path.replace(':id', unknownId);

    test.each(routes.map(({ method, path, scope }) => [method, path, scope] as const))(
      '%s %s: no key is 401, another scope is 403 and says which is missing',
      async (method, path, scope) => {
        const bare = await gateway.send(method, concrete(path), { key: '' });
        expect([bare.status, bare.body['type']]).toEqual([401, 'unauthorized']);
        expect(bare.headers.get('www-authenticate')).toBe('Bearer');
        const others = await keyWithout(scope);
        const refused = await gateway.send(method, concrete(path), { key: others });
        expect([refused.status, refused.body['details']]).toEqual([403, { requiredScope: scope }]);
      },
    );

    const keys = new Map<string, Promise<string>>();
    const keyWithout = (scope: string): Promise<string> => {
      const scopes = [...new Set(routes.map((route) => route.scope))].filter((other) => other !== scope);
      const known = keys.get(scope) ?? gateway.issue({ scopes }).then(({ key }) => key);
      keys.set(scope, known);
      return known;
    };

    test.each(routes.filter(({ target }) => target !== undefined).map(({ method, path }) => [method, path] as const))(
      '%s %s: an unknown id, one that is no id, and a foreign one are the same 404, whatever else is wrong',
      async (method, path) => {
        for (const id of [unknownId, 'no-id-at-all', connectionId.replace('1', 'a')]) {
          const answer = await gateway.send(method, `${path.replace(':id', id)}?nonsense=1`);
          expect([answer.status, answer.body['type']]).toEqual([404, 'not_found']);
        }
      },
    );

    test.each(routes.filter(({ target }) => target === undefined).map(({ method, path }) => [method, path] as const))(
      '%s %s: an unknown query parameter is 400 and named',
      async (method, path) => {
        const answer = await gateway.send(method, `${path}?nonsense=1`, method === 'GET' ? {} : { body: {} });
        expect([answer.status, answer.body['type']]).toEqual([400, 'invalid_request']);
        expect(errors(answer.body)).toContainEqual(expect.objectContaining({ path: 'nonsense' }));
      },
    );
  });

  test.each([
    ['an unknown path', 'GET', '/v1/nothing', '', 404],
    ['a path outside', 'GET', '/', '', 404],
    ['a path that cannot be decoded', 'GET', '/v1/accounts/%E0%A4%A', '', 404],
    ['a method we do not serve', 'PUT', '/v1/entities', 'key', 405],
    ['a method we do not serve, without a key', 'PUT', '/v1/entities', '', 401],
    ['a method we do not serve, on an unknown id', 'PATCH', `/v1/connections/${unknownId}`, 'key', 404],
    ['a method we do not serve, on a known id', 'PATCH', `/v1/connections/${connectionId}`, 'key', 405],
    ['the OpenAPI document, until it is there', 'GET', '/openapi.json', '', 404],
  ])('%s', async (_, method, path, credential, status) => {
    const answer = await gateway.send(method, path, credential === '' ? { key: '' } : {});
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.body).sort()).toEqual(['details', 'message', 'requestId', 'type']);
    if (status === 405) expect(answer.headers.get('allow')).toMatch(/GET/);
  });

  test.each([
    ['is too large', 413, 'payload_too_large', { body: JSON.stringify({ name: 'x'.repeat(256 * 1024) }) }],
    [
      'is no JSON by its type',
      415,
      'unsupported_media_type',
      { body: '{}', headers: { 'content-type': 'text/plain' } },
    ],
    [
      'is a form',
      415,
      'unsupported_media_type',
      { body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    ['is no JSON', 400, 'invalid_request', { body: '{"name":' }],
    ['is a list', 400, 'invalid_request', { body: '[]' }],
    ['is missing', 400, 'invalid_request', {}],
    ['sets a prototype', 400, 'invalid_request', { body: '{"externalEntityId":"a","__proto__":{"x":1}}' }],
  ])('a body that %s is %i', async (_, status, type, init) => {
    const answer = await gateway.send('POST', '/v1/entities', init);
    expect([answer.status, answer.body['type']]).toEqual([status, type]);
    expect(received).toEqual([]);
  });

  const transfer = {
    type: 'internal',
    amount: { currency: 'USD', value: '10.00' },
    sourceAccountId: unknownId,
    destination: { type: 'account', accountId: connectionId },
  };
  test.each([
    ['/v1/entities', {}, ['externalEntityId']],
    ['/v1/entities', { externalEntityId: '' }, ['externalEntityId']],
    ['/v1/entities', { externalEntityId: 5 }, ['externalEntityId']],
    ['/v1/entities', { externalEntityId: 'a', name: 3, extra: 1 }, ['extra', 'name']],
    ['/v1/entities', { externalEntityId: 'a\0' }, ['externalEntityId']],
    ['/v1/entities', { externalEntityId: 'a', contactEmails: ['no address'] }, ['contactEmails']],
    ['/v1/entities', { externalEntityId: 'a', contactEmails: Array(101).fill('a@b.example') }, ['contactEmails']],
    ['/v1/entities', { externalEntityId: 'a', metadata: [] }, ['metadata']],
    ['/v1/entities', { externalEntityId: 'a', metadata: { big: 'x'.repeat(17_000) } }, ['metadata']],
    [
      '/v1/entities',
      { externalEntityId: 'a', metadata: JSON.parse('['.repeat(100) + ']'.repeat(100)) as object },
      ['metadata'],
    ],
    ['/v1/connections', {}, ['institutionId']],
    ['/v1/connections', { portalUrl: 'http://bank.example' }, ['portalUrl']],
    ['/v1/connections', { institutionId: 'sandbox-instant', entityId: 'x' }, ['entityId']],
    ['/v1/transfers', { ...transfer, type: 'external' }, ['type']],
    ['/v1/transfers', { ...transfer, amount: { currency: 'USD', value: 10 } }, ['amount.value']],
    ['/v1/transfers', { ...transfer, amount: { currency: 'usd', value: '0.00' } }, ['amount.currency', 'amount.value']],
    ['/v1/transfers', { ...transfer, amount: { currency: 'USD', value: '-1' } }, ['amount.value']],
    ['/v1/transfers', { ...transfer, amount: null }, ['amount']],
    [
      '/v1/transfers',
      { ...transfer, destination: { type: 'account', accountId: unknownId, extra: 1 } },
      ['destination.extra'],
    ],
    ['/v1/transfers', { ...transfer, executionDate: '2026-02-30', memo: 'x'.repeat(501) }, ['executionDate', 'memo']],
    ['/v1/transfers', { ...transfer, clientReference: '', skipPreflight: 'yes' }, ['clientReference', 'skipPreflight']],
    ['/v1/webhooks', { url: 'ftp://example.com', events: [] }, ['events', 'url']],
    ['/v1/webhooks', { url: `https://example.com/${'a'.repeat(2048)}`, events: ['nothing'] }, ['events', 'url']],
  ])('POST %s %j names %j and sends nothing', async (path, body, paths) => {
    const answer = await gateway.send('POST', path, { body });
    expect(answer.status).toBe(400);
    expect([...new Set(errors(answer.body).map(({ path: named }) => named))].sort()).toEqual(paths);
    expect(received).toEqual([]);
  });

  test.each(['', ' ', 'x'.repeat(256)])('the idempotency key %j is refused', async (key) => {
    const answer = await gateway.send('POST', '/v1/transfers', { body: transfer, headers: { 'idempotency-key': key } });
    expect([answer.status, errors(answer.body)[0]?.path]).toEqual([400, 'Idempotency-Key']);
  });

  test.each([
    ['/v1/transactions?limit=0', 'limit'],
    ['/v1/transactions?limit=501', 'limit'],
    ['/v1/transactions?limit=1&limit=2', 'limit'],
    ['/v1/transfers?limit=101', 'limit'],
    ['/v1/transactions?sort=amount', 'sort'],
    ['/v1/transactions?status=', 'status'],
    ['/v1/transactions?rail=pigeon', 'rail'],
    ['/v1/transactions?accountId=1', 'accountId'],
    ['/v1/transactions?postedDateGte=2026-02-30', 'postedDateGte'],
    ['/v1/transactions?fields=id,paymentReference', 'fields'],
    [`/v1/connections?institutionId=%00`, 'institutionId'],
    ['/v1/accounts?currency=usd', 'currency'],
    ['/v1/accounts?fields=', 'fields'],
    ['/v1/balances?updatedAtGte=yesterday', 'updatedAtGte'],
    ['/v1/balances?sort=date', 'sort'],
    ['/v1/transfers?createdAtGte=2026-01-01', 'createdAtGte'],
  ])('%s names %s', async (path, name) => {
    const answer = await gateway.send('GET', path);
    expect(answer.status).toBe(400);
    expect(errors(answer.body).map(({ path: named }) => named)).toEqual([name]);
  });

  test.each(['nonsense', '', 'AAAA', Buffer.alloc(40).toString('base64url')])(
    'the cursor %j is no cursor',
    async (cursor) => {
      for (const path of [
        'transactions',
        'transactions/sync',
        'accounts',
        'balances',
        'entities',
        'institutions',
        'transfers',
      ]) {
        const answer = await gateway.send('GET', `/v1/${path}?cursor=${cursor}`);
        expect([answer.status, answer.body['type']]).toEqual([400, 'invalid_cursor']);
      }
    },
  );

  test('the owner’s refusal reaches the client word for word, with the time to wait', async () => {
    const answer = await gateway.send('PUT', `/v1/connections/${connectionId}/sync`);
    expect([answer.status, answer.body['type'], answer.body['message']]).toEqual([429, 'rate_limited', 'cooling down']);
    expect(answer.headers.get('retry-after')).toBe('4');
    const conflict = await gateway.send('POST', '/v1/transfers', {
      body: transfer,
      headers: { 'idempotency-key': 'k' },
    });
    expect([conflict.status, conflict.body['details']]).toEqual([409, { transferId: unknownId }]);
  });

  test('a bug of the owner is 500 without a word of what it was', async () => {
    const answer = await gateway.send('POST', `/v1/webhooks/${webhookId}/test`);
    expect([answer.status, answer.body['type']]).toEqual([500, 'internal_error']);
    expect(answer.text).not.toMatch(/bug|Error|at /);
  });

  test('a missing view fails its own route with 503 and no other', async () => {
    await gateway.pool.query('ALTER VIEW read_models.balances_v1 RENAME TO gone');
    const answer = await gateway.send('GET', '/v1/balances');
    expect([answer.status, answer.body['type'], answer.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    expect((await gateway.send('GET', '/v1/accounts')).status).toBe(200);
    await gateway.pool.query('ALTER VIEW read_models.gone RENAME TO balances_v1');
    expect((await gateway.send('GET', '/v1/balances')).status).toBe(200);
  });

  test('the request id is the caller’s where it can be one, in header, body and command', async () => {
    const body = { externalEntityId: 'acme' };
    const kept = await gateway.send('POST', '/v1/entities', { body, headers: { 'x-request-id': 'mine-1' } });
    expect([kept.status, kept.headers.get('x-request-id'), received[0]?.correlationId]).toEqual([
      201,
      'mine-1',
      'mine-1',
    ]);
    const refused = await gateway.send('GET', '/v1/nothing', { headers: { 'x-request-id': 'with space' } });
    expect(refused.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(refused.body['requestId']).toBe(refused.headers.get('x-request-id'));
  });

  test('what a client wrote reaches the owner parsed: each address once, whose it is', async () => {
    const contactEmails = ['A@b.example', 'c@d.example', 'a@B.example'];
    const answer = await gateway.send('POST', '/v1/entities', { body: { externalEntityId: 'acme', contactEmails } });
    expect(received[0]?.data).toMatchObject({ organization: 'demo', contactEmails: ['A@b.example', 'c@d.example'] });
    expect(answer.body).toMatchObject({
      externalEntityId: 'acme',
      contactEmails: ['A@b.example', 'c@d.example'],
      metadata: {},
    });
    expect(answer.body).not.toHaveProperty('name');
    expect(answer.body).not.toHaveProperty('organization');
  });

  test('a connection is deleted by its owner, then by the ledger', async () => {
    const answer = await gateway.send('DELETE', `/v1/connections/${connectionId}`, {
      headers: { 'x-request-id': 'r' },
    });
    expect([answer.status, answer.body]).toEqual([200, { connectionId, meta: { requestId: 'r' } }]);
    expect(received.map(({ type }) => type)).toEqual([deleteConnection.type, eraseConnection.type]);
  });

  test('a webhook’s secret is shown in full once, and masked from then on', async () => {
    const body = { url: 'https://example.com/hook', events: ['test', 'test'] };
    const created = await gateway.send('POST', '/v1/webhooks', { body });
    expect([created.status, (created.body['webhook'] as { secret: string }).secret]).toEqual([201, 'whsec_whole']);
    expect((received[0]?.data as { events: string[] }).events).toEqual(['test']);
    const read = await gateway.send('GET', `/v1/webhooks/${webhookId}`);
    expect(read.body).toMatchObject({ id: webhookId, secret: 'whsec_…wxyz', active: true, metadata: {} });
    expect((await gateway.send('DELETE', `/v1/webhooks/${webhookId}`)).status).toBe(204);
  });
});
