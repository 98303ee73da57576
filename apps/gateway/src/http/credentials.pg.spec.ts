import { describeWithPostgres, withRoom } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway, type GatewayUnderTest } from '../../testing/gateway-under-test.ts';

const revokedWithinMs = 5000;

describeWithPostgres('credentials', () => {
  let gateway: GatewayUnderTest;
  const ask = async (key: string): Promise<number> => (await gateway.send('GET', '/v1/institutions', { key })).status;

  beforeAll(async () => {
    gateway = await startGateway({ topics: [], commands: new Map() });
  });
  afterAll(() => gateway.close());

  test('a good key is let in from its first request on', async () => {
    expect(await ask((await gateway.issue({})).key)).toBe(200);
  });

  test('another secret, id, environment or scheme is 401', async () => {
    const { key } = gateway;
    const changed = key.endsWith('a') ? `${key.slice(0, -1)}b` : `${key.slice(0, -1)}a`;
    const unknown = key.replace(/_[0-9A-Za-z]{16}_/, `_${'0'.repeat(16)}_`);
    for (const bad of [changed, unknown, key.replace('_test_', '_live_'), key.slice(0, -1), `${key} ${key}`, 'x']) {
      expect(await ask(bad)).toBe(401);
    }
    const basic = await gateway.send('GET', '/v1/institutions', {
      key: '',
      headers: { authorization: `Basic ${key}` },
    });
    expect(basic.status).toBe(401);
  });

  test('an expired key is 401', async () => {
    expect(await ask((await gateway.issue({ expiresAt: '2026-01-01T00:00:00.000Z' })).key)).toBe(401);
  });

  test('a caller outside the key’s ranges is 401, one inside is let in', async () => {
    expect(await ask((await gateway.issue({ allowedIps: ['192.0.2.0/24'] })).key)).toBe(401);
    expect(await ask((await gateway.issue({ allowedIps: ['192.0.2.0/24', '127.0.0.0/8'] })).key)).toBe(200);
  });

  test('a claimed address is not believed', async () => {
    const { key } = await gateway.issue({ allowedIps: ['192.0.2.0/24'] });
    const headers = { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' };
    expect((await gateway.send('GET', '/v1/institutions', { key, headers })).status).toBe(401);
  });

  test('a revocation works within 5 s, also on a key that is in use all the time', async () => {
    const { key, keyId } = await gateway.issue({});
    expect(await ask(key)).toBe(200);
    await gateway.revoke(keyId);
    const deadline = performance.now() + withRoom(revokedWithinMs);
    while ((await ask(key)) === 200) {
      expect(performance.now()).toBeLessThan(deadline);
      await sleep(50);
    }
  });

  test('when a key was last used is kept', async () => {
    const { key, keyId } = await gateway.issue({});
    await ask(key);
    const used = async () =>
      (await gateway.pool.query('SELECT FROM gateway.api_key_use WHERE key_id = $1', [keyId])).rowCount;
    while ((await used()) !== 1) await sleep(50);
    expect(await used()).toBe(1);
  });

  test('are checked while every session that reads waits for the database', async () => {
    const { key } = await gateway.issue({});
    const holder = await gateway.pool.connect();
    await holder.query('BEGIN; LOCK TABLE read_models.entities_v1');
    const reads = Array.from({ length: 20 }, () => gateway.send('GET', '/v1/entities'));
    await sleep(200);
    const checked = Promise.race([ask(key), sleep(2000, 'kept waiting', { ref: false })]);
    expect(await checked).toBe(200);
    await holder.query('ROLLBACK');
    holder.release();
    expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(reads.map(() => 200));
  });

  test('the secret is nowhere in the database', async () => {
    const secret = gateway.key.split('_')[3] as string;
    const { rows } = await gateway.pool.query<{ text: string }>(
      `SELECT (SELECT string_agg(k::text, '') FROM gateway.api_key k) ||
              (SELECT string_agg(convert_from(payload, 'UTF8'), '') FROM gateway_events.append) AS text`,
    );
    expect(rows[0]?.text).toContain('accounts:read');
    expect(rows[0]?.text).not.toContain(secret);
  });
});

describeWithPostgres('the limit of requests', () => {
  let gateway: GatewayUnderTest;
  const proxies = { trusted: ['127.0.0.0/8'], header: 'x-forwarded-for' } as const;
  const limits = { requestsPerSecond: 1, requestBurst: 5, proxies };

  beforeAll(async () => {
    gateway = await startGateway({ topics: [], commands: new Map() }, limits);
  });
  afterAll(() => gateway.close());

  test('comes before every other refusal, says when to come back, and is one key’s own', async () => {
    const patient = (await gateway.issue({})).key;
    const answers = [];
    for (let n = 0; n < 8; n++) answers.push(await gateway.send('GET', '/v1/nothing'));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.slice(0, 5)).toEqual([404, 404, 404, 404, 404]);
    expect(statuses.at(-1)).toBe(429);
    const last = answers.at(-1);
    expect(last?.body['type']).toBe('rate_limited');
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect([last?.headers.get('ratelimit-limit'), last?.headers.get('ratelimit-remaining')]).toEqual(['5', '0']);
    expect((await gateway.send('GET', '/v1/institutions', { key: patient })).status).toBe(200);
  });

  test('holds for an address where no key is asked for', async () => {
    const ask = async (path: string, address: string) =>
      (await fetch(gateway.baseUrl + path, { headers: { 'x-forwarded-for': address } })).status;
    for (const [n, path] of ['/docs', '/docs/webhooks', '/openapi.json', '/.well-known/jwks.json'].entries()) {
      const statuses = [];
      for (let request = 0; request < 8; request++) statuses.push(await ask(path, `192.0.2.${n}`));
      expect([path, statuses[0], statuses[4], statuses.at(-1)]).toEqual([path, 200, 200, 429]);
      expect(await ask(path, '192.0.2.99')).toBe(200);
    }
  });

  test('holds for an address without a good key, and leaves good keys of that address alone', async () => {
    const good = (await gateway.issue({})).key;
    const send = (key: string) => gateway.send('GET', '/v1/institutions', { key });
    const guessUntilRefused = async (): Promise<void> => {
      const guesses = [];
      for (let n = 0; n < 8; n++) guesses.push((await send(`svc_test_${'0'.repeat(16)}_${'0'.repeat(43)}`)).status);
      expect([guesses[0], guesses.at(-1)]).toEqual([401, 429]);
    };
    expect((await send(good)).status).toBe(200);
    await guessUntilRefused();
    expect((await send(good)).status).toBe(200);
    // Longer than a key is remembered: it has to be asked for again.
    await sleep(4100);
    await guessUntilRefused();
    expect((await send(good)).status).toBe(200);
  });

  test('does not hold for health', async () => {
    for (let n = 0; n < 20; n++) expect((await gateway.send('GET', '/healthz', { key: '' })).status).toBe(200);
    expect((await gateway.send('GET', '/readyz', { key: '' })).body).toEqual({ ready: true, degraded: false });
  });
});
