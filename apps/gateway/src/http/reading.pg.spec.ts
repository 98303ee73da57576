import { describeWithPostgres } from '@causeway/testing';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import type { GatewayUnderTest } from '../../testing/gateway-under-test.ts';
import {
  connectionId,
  errorsIn,
  payment,
  received,
  startOwnedGateway,
  transfer,
  unknownId,
} from '../../testing/owner.ts';

const to = (change: object): object => ({ ...payment, destination: { ...payment.destination, ...change } });
const payeeMembers = ['destination.name', 'destination.paymentIdentifier', 'destination.type'];
const identifierMembers = ['countryCode', 'currency', 'details', 'scheme'].map(
  (name) => `destination.paymentIdentifier.${name}`,
);

describeWithPostgres('how a request is read', () => {
  let gateway: GatewayUnderTest;

  beforeAll(async () => {
    gateway = await startOwnedGateway();
  });
  afterAll(() => gateway.close());
  beforeEach(() => received.splice(0));

  test.each([
    ['is too large', 413, 'payload_too_large', { body: JSON.stringify({ name: 'x'.repeat(256 * 1024) }) }],
    [
      'is no JSON by its type',
      415,
      'unsupported_media_type',
      { body: '{}', headers: { 'content-type': 'text/plain' } },
    ],
    [
      'is too large, and no JSON by its type',
      413,
      'payload_too_large',
      { body: 'x'.repeat(256 * 1024 + 1), headers: { 'content-type': 'text/plain' } },
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

  test.each([
    ['/v1/entities', 128],
    ['/v1/connections', 16],
    ['/v1/transfers', 64],
    ['/v1/webhooks', 128],
    [`/v1/connections/${connectionId}/sync`, 1],
  ])('a body of %s is too large above what its fields can hold, %i KiB', async (path, kibibytes) => {
    const method = path.endsWith('/sync') ? 'PUT' : 'POST';
    const ofBytes = (bytes: number): string => JSON.stringify({ x: 'x'.repeat(bytes - '{"x":""}'.length) });
    const statuses: number[] = [];
    for (const bytes of [kibibytes * 1024, kibibytes * 1024 + 1]) {
      statuses.push((await gateway.send(method, path, { body: ofBytes(bytes) })).status);
    }
    expect(statuses).toEqual([400, 413]);
    expect(received).toEqual([]);
  });

  test.each([
    ['is no UTF-8', Buffer.from('{"externalEntityId":"\xff"}', 'latin1')],
    ['has a number that no double holds', '{"externalEntityId":"a","metadata":{"n":[1e400]}}'],
    ['has one below what a double holds', '{"externalEntityId":"a","metadata":{"n":-1e400}}'],
  ])('a body that %s is refused', async (_, body) => {
    const answer = await fetch(`${gateway.baseUrl}/v1/entities`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body,
    });
    expect([answer.status, ((await answer.json()) as { type: string }).type]).toEqual([400, 'invalid_request']);
    expect(received).toEqual([]);
  });

  test.each([
    ['members', (names: readonly string[]) => ({ body: Object.fromEntries(names.map((name) => [name, 1])) }), ''],
    ['parameters', () => ({}), '?'],
  ])('of many undeclared %s, twenty are named, and nothing is looked into', async (_, init, query) => {
    const names = Array.from({ length: 1200 }, (__, n) => `u${n}`);
    const path = query === '' ? '/v1/entities' : `/v1/entities?${names.map((name) => `${name}=1`).join('&')}`;
    const answer = await gateway.send(query === '' ? 'POST' : 'GET', path, init(names));
    expect(answer.status).toBe(400);
    expect(errorsIn(answer.body).map(({ path: named }) => named)).toEqual(names.slice(0, 20));
    expect(answer.text.length).toBeLessThan(4096);
  });

  test('of a list that is too long, the length is refused without a look at the rest', async () => {
    const events = [...Array<string>(101).fill('transactions.sync_available'), ...Array<unknown>(5000).fill({ a: [] })];
    const answer = await gateway.send('POST', '/v1/webhooks', { body: { url: 'https://example.com/', events } });
    expect(errorsIn(answer.body)).toEqual([{ path: 'events', message: expect.stringMatching(/100/) as string }]);
  });

  test('what a client expects beside 100-continue is refused in the words of every other refusal', async () => {
    const request = httpRequest(`${gateway.baseUrl}/v1/entities`, { method: 'POST', headers: { expect: 'a-miracle' } });
    request.end();
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const body = JSON.parse(await readText(answer)) as { type: string };
    expect([answer.statusCode, body.type]).toEqual([417, 'invalid_request']);
  });

  test.each([
    ['/v1/entities', {}, ['externalEntityId']],
    ['/v1/entities', { externalEntityId: '' }, ['externalEntityId']],
    ['/v1/entities', { externalEntityId: 5 }, ['externalEntityId']],
    ['/v1/entities', { externalEntityId: 'a', name: 3, extra: 1 }, ['extra', 'name']],
    ['/v1/entities', { externalEntityId: 'a\0' }, ['externalEntityId']],
    ['/v1/entities', { externalEntityId: 'a\ud800' }, ['externalEntityId']],
    ['/v1/entities', { externalEntityId: 'a', constructor: 1, hasOwnProperty: 2 }, ['constructor', 'hasOwnProperty']],
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
    ['/v1/transfers', { ...transfer, type: 'other' }, ['type']],
    ['/v1/transfers', { ...transfer, transferType: 'ach' }, ['transferType']],
    ['/v1/transfers', { ...payment, transferType: undefined }, ['transferType']],
    ['/v1/transfers', { ...payment, destination: transfer.destination }, ['destination.accountId', ...payeeMembers]],
    ['/v1/transfers', to({ name: '', extra: 1 }), ['destination.extra', 'destination.name']],
    [
      '/v1/transfers',
      to({ address: { line1: '', country: 'XX' } }),
      ['destination.address.country', 'destination.address.line1'],
    ],
    [
      '/v1/transfers',
      to({ paymentIdentifier: { scheme: 'us_wire', countryCode: 'us', currency: 'ZZZ', details: [] } }),
      ['countryCode', 'currency', 'details'].map((name) => `destination.paymentIdentifier.${name}`),
    ],
    ['/v1/transfers', to({ paymentIdentifier: { scheme: 'carrier_pigeon' } }), identifierMembers],
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
    expect([...new Set(errorsIn(answer.body).map(({ path: named }) => named))].sort()).toEqual(paths);
    expect(received).toEqual([]);
  });

  test('opaque metadata goes on as it came, whatever its members are named', async () => {
    const metadata = { constructor: { name: 1 }, toJSON: [{ constructor: 2 }], then: null };
    await gateway.send('POST', '/v1/entities', { body: { externalEntityId: 'a', name: '', metadata } });
    expect(received).toMatchObject([{ data: { name: '', metadata } }]);
  });

  test.each(['', ' ', 'x'.repeat(256)])('the idempotency key %j is refused', async (key) => {
    const answer = await gateway.send('POST', '/v1/transfers', { body: transfer, headers: { 'idempotency-key': key } });
    expect([answer.status, errorsIn(answer.body)[0]?.path]).toEqual([400, 'Idempotency-Key']);
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
    expect(errorsIn(answer.body).map(({ path: named }) => named)).toEqual([name]);
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
});
