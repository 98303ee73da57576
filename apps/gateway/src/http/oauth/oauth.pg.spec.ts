import { describeWithPostgres, withRoom } from '@causeway/testing';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway, type GatewayUnderTest, type Sent } from '../../../testing/gateway-under-test.ts';

const revokedWithinMs = 5000;
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const wrong = '0'.repeat(43);
/** A key in its parts, as an OAuth client has them. */
const partsOf = (key: string) => {
  const [, , client_id, client_secret] = key.split('_') as [string, string, string, string];
  return { client_id, client_secret };
};
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

const clientOf = (gateway: () => GatewayUnderTest) => {
  const post = (body: string, headers: Record<string, string> = {}): Promise<Sent> =>
    gateway().send('POST', '/oauth/token', { key: '', body, headers: { ...form, ...headers } });
  const ask = (members: Record<string, string>, headers: Record<string, string> = {}): Promise<Sent> =>
    post(new URLSearchParams({ grant_type: 'client_credentials', ...members }).toString(), headers);
  const tokenOf = async (key: string, members: Record<string, string> = {}, headers = {}): Promise<string> =>
    String((await ask({ ...partsOf(key), ...members }, headers)).body['access_token']);
  const use = async (key: string, path = '/v1/institutions', headers = {}): Promise<number> =>
    (await gateway().send('GET', path, { key, headers })).status;
  return { post, ask, tokenOf, use };
};

describeWithPostgres('access tokens', () => {
  let gateway: GatewayUnderTest;
  const { post, ask, tokenOf, use } = clientOf(() => gateway);

  beforeAll(async () => {
    gateway = await startGateway({ topics: [], commands: new Map() });
  });
  afterAll(() => gateway.close());

  test('are given for a key by HTTP Basic and by the form, for an hour', async () => {
    const { client_id, client_secret } = partsOf(gateway.key);
    for (const answer of [await ask({ client_id, client_secret }), await ask({}, basic(client_id, client_secret))]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const { access_token, scope, ...rest } = answer.body;
      expect(rest).toEqual({ token_type: 'Bearer', expires_in: 3600 });
      expect(String(scope).split(' ')).toContain('transfers:write');
      expect(await use(String(access_token))).toBe(200);
    }
  });

  test('are verified by the keys that anyone may read, in the name of the address served', async () => {
    const token = await tokenOf(gateway.key);
    const jwks = await gateway.send('GET', '/.well-known/jwks.json', { key: '' });
    expect([jwks.status, jwks.headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
    expect(jwks.text).not.toContain('"d"');
    const keys = createLocalJWKSet(jwks.body as unknown as JSONWebKeySet);
    const { payload } = await jwtVerify(token, keys, { issuer: gateway.baseUrl, audience: gateway.baseUrl });
    expect(payload.sub).toBe(partsOf(gateway.key).client_id);
  });

  test('have what was asked for of the scopes of their key', async () => {
    const token = await tokenOf(gateway.key, { scope: 'accounts:read accounts:read connections:read' });
    expect([await use(token), await use(token, '/v1/accounts')]).toEqual([200, 200]);
    const refused = await gateway.send('GET', '/v1/transfers', { key: token });
    expect([refused.status, refused.body['details']]).toEqual([403, { requiredScope: 'transfers:read' }]);
  });

  test('have no scope that their key lacks', async () => {
    const { key } = await gateway.issue({ scopes: ['accounts:read'] });
    const refused = await ask({ ...partsOf(key), scope: 'accounts:read transfers:read' });
    expect([refused.status, refused.body['error'], refused.body['type']]).toEqual([
      ...[400, 'invalid_scope', 'invalid_request'],
    ]);
    expect((await ask(partsOf(key))).body['scope']).toBe('accounts:read');
  });

  const { client_id, client_secret } = { client_id: 'AbCdEfGh01234567', client_secret: wrong };
  test.each<[string, Record<string, string>, Record<string, string>, number, string]>([
    ['another secret', { client_id, client_secret }, {}, 401, 'invalid_client'],
    ['another secret by HTTP Basic', {}, basic(client_id, client_secret), 401, 'invalid_client'],
    ['nobody', {}, {}, 401, 'invalid_client'],
    ['an id alone', { client_id }, {}, 401, 'invalid_client'],
    ['a bearer', { client_id, client_secret }, { authorization: `Bearer ${wrong}` }, 401, 'invalid_client'],
    ['two credentials', { client_secret }, basic(client_id, client_secret), 400, 'invalid_request'],
    ['two ids', { client_id: 'b' }, basic(client_id, client_secret), 400, 'invalid_request'],
    ['another grant', { grant_type: 'password' }, {}, 400, 'unsupported_grant_type'],
    ['no grant', { grant_type: '' }, {}, 400, 'invalid_request'],
    ['an unknown scope', { scope: 'everything' }, {}, 400, 'invalid_scope'],
    ['an unknown member', { audience: 'x' }, {}, 400, 'invalid_request'],
  ])('are refused to %s, in the words of OAuth beside ours', async (_, members, headers, status, error) => {
    const answer = await ask(members, headers);
    expect([answer.status, answer.body['error']]).toEqual([status, error]);
    const { type, message, requestId, error_description, details } = answer.body;
    expect(type).toBe(status === 401 ? 'unauthorized' : 'invalid_request');
    expect([message, requestId]).toEqual([error_description, answer.headers.get('x-request-id')]);
    expect(details === null).toBe(status === 401);
    if (status === 401) expect(answer.headers.get('www-authenticate')).toBe('Basic realm="causeway"');
  });

  test('are refused to a form that says something twice, and to the good secret of another key', async () => {
    const twice = await post('grant_type=client_credentials&grant_type=client_credentials');
    expect([twice.status, twice.body['error']]).toEqual([400, 'invalid_request']);
    const other = partsOf((await gateway.issue({})).key);
    expect((await ask({ ...other, client_secret: partsOf(gateway.key).client_secret })).status).toBe(401);
  });

  test('are for a form alone, and nothing else is', async () => {
    const json = { 'content-type': 'application/json' };
    expect((await post('{"grant_type":"client_credentials"}', json)).status).toBe(415);
    expect((await gateway.send('POST', '/v1/entities', { body: 'a=b', headers: form })).status).toBe(415);
    expect((await post(`scope=${'a'.repeat(5000)}`)).body['type']).toBe('payload_too_large');
    const get = await gateway.send('GET', '/oauth/token', { key: '' });
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await gateway.send('POST', '/oauth/token?scope=a', { key: '', body: '', headers: form })).status).toBe(400);
  });

  test('of an expired or revoked key are neither given nor good', async () => {
    const expired = await gateway.issue({ expiresAt: '2026-01-01T00:00:00.000Z' });
    expect((await ask(partsOf(expired.key))).status).toBe(401);

    const { key, keyId } = await gateway.issue({});
    const token = await tokenOf(key);
    expect(await use(token)).toBe(200);
    await gateway.revoke(keyId);
    const deadline = performance.now() + withRoom(revokedWithinMs);
    while ((await use(token)) === 200) {
      expect(performance.now()).toBeLessThan(deadline);
      await sleep(50);
    }
    expect((await ask(partsOf(key))).status).toBe(401);
  });

  test('count as a use of their key', async () => {
    const { key, keyId } = await gateway.issue({});
    const lastUse = async () =>
      (
        await gateway.pool.query<{ at: Date }>('SELECT last_used_at AS at FROM gateway.api_key_use WHERE key_id = $1', [
          keyId,
        ])
      ).rows[0]?.at;
    const token = await tokenOf(key);
    while ((await lastUse()) === undefined) await sleep(50);
    const before = await lastUse();
    await use(token);
    while ((await lastUse()) === before) await sleep(50);
    expect(await lastUse()).not.toEqual(before);
  });
});

describeWithPostgres('access tokens behind a proxy, under a limit', () => {
  let gateway: GatewayUnderTest;
  const { ask, tokenOf, use } = clientOf(() => gateway);
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const limits = { requestsPerSecond: 1, requestBurst: 6 };
  const proxies = { trusted: ['127.0.0.0/8'], header: 'x-forwarded-for' } as const;
  const publicUrl = 'https://bank.example/api';

  beforeAll(async () => {
    gateway = await startGateway({ topics: [], commands: new Map() }, { ...limits, proxies, publicUrl });
  });
  afterAll(() => gateway.close());

  test('are given to and taken from the ranges of their key alone', async () => {
    const { key } = await gateway.issue({ allowedIps: ['192.0.2.0/24'] });
    expect((await ask(partsOf(key), from('198.51.100.1'))).status).toBe(401);
    const token = await tokenOf(key, {}, from('192.0.2.7'));
    expect(await use(token, '/v1/institutions', from('192.0.2.8'))).toBe(200);
    expect(await use(token, '/v1/institutions', from('198.51.100.1'))).toBe(401);
    expect(await use(token, '/v1/institutions', from('192.0.2.8, 198.51.100.1'))).toBe(401);
  });

  test('are issued in the public name', async () => {
    const token = await tokenOf(gateway.key, {}, from('192.0.2.20'));
    const [, claims = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ iss: publicUrl, aud: publicUrl });
  });

  test('share the limit of their key', async () => {
    const { key } = await gateway.issue({});
    const token = await tokenOf(key, {}, from('192.0.2.30'));
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push(await use(n % 2 === 0 ? token : key), await use(token));
    expect(statuses.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
    expect(statuses.at(-1)).toBe(429);
  });

  test('cannot be guessed for: an address is refused, be it a /64, and a client that was good is not', async () => {
    const { key } = await gateway.issue({});
    const place = (n: number) => from(`2001:db8:0:7::${n}`);
    expect((await ask(partsOf(key), place(0))).status).toBe(200);
    const guess = (n: number) => ask({ ...partsOf(key), client_secret: wrong }, place(n));
    const answers = [];
    for (let n = 1; n <= 8; n++) answers.push(await guess(n));
    expect(answers.slice(0, 5).map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    const last = answers.at(-1);
    expect([last?.status, last?.body['error'], last?.body['type']]).toEqual([
      ...[429, 'temporarily_unavailable', 'rate_limited'],
    ]);
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await ask(partsOf(key), place(9))).status).toBe(200);
    expect((await ask({ ...partsOf(key), client_secret: wrong }, from('2001:db8:0:8::1'))).status).toBe(401);
  });
});
