import { describeWithPostgres } from '@causeway/testing';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { GatewayUnderTest } from '../../testing/gateway-under-test.ts';
import { connectionId, errorsIn, received, startOwnedGateway, unknownId } from '../../testing/owner.ts';
import { controllers } from './controllers.ts';
import { operationsOf } from './edge/operations.ts';

/** Every route that asks for a credential. */
const routes = operationsOf(controllers).flatMap(({ scope, ...route }) => (scope === null ? [] : { ...route, scope }));

/** With the same id for every parameter. */
const withId = (path: string, id: string): string => path.replaceAll(/:\w+/g, id);

describeWithPostgres('who is let in', () => {
  let gateway: GatewayUnderTest;

  beforeAll(async () => {
    gateway = await startOwnedGateway();
  });
  afterAll(() => gateway.close());
  beforeEach(() => received.splice(0));

  describe('every route', () => {
    test.each(routes.map(({ method, path, scope }) => [method, path, scope] as const))(
      '%s %s: no key is 401, another scope is 403 and says which is missing',
      async (method, path, scope) => {
        const bare = await gateway.send(method, withId(path, unknownId), { key: '' });
        expect([bare.status, bare.body['type']]).toEqual([401, 'unauthorized']);
        expect(bare.headers.get('www-authenticate')).toBe('Bearer');
        const others = await keyWithout(scope);
        const refused = await gateway.send(method, withId(path, unknownId), { key: others });
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

    test.each(routes.filter(({ targets }) => targets.length > 0).map(({ method, path }) => [method, path] as const))(
      '%s %s: an unknown id, one that is no id, and a foreign one are the same 404, whatever else is wrong',
      async (method, path) => {
        for (const id of [unknownId, 'no-id-at-all', connectionId.replace('1', 'a')]) {
          const answer = await gateway.send(method, `${withId(path, id)}?nonsense=1`);
          expect([answer.status, answer.body['type']]).toEqual([404, 'not_found']);
        }
      },
    );

    test.each(routes.filter(({ targets }) => targets.length === 0).map(({ method, path }) => [method, path] as const))(
      '%s %s: an unknown query parameter is 400 and named',
      async (method, path) => {
        const answer = await gateway.send(method, `${path}?nonsense=1`, method === 'GET' ? {} : { body: {} });
        expect([answer.status, answer.body['type']]).toEqual([400, 'invalid_request']);
        expect(errorsIn(answer.body)).toContainEqual(expect.objectContaining({ path: 'nonsense' }));
      },
    );
  });

  test.each([
    ['an unknown path', 'GET', '/v1/nothing', '', 404],
    ['a path outside', 'GET', '/', '', 404],
    ['a path that cannot be decoded', 'GET', '/v1/accounts/%E0%A4%A', '', 404],
    ['a path that ends where an id should stand', 'GET', '/v1/institutions/', 'key', 404],
    ['a method we do not serve', 'PUT', '/v1/entities', 'key', 405],
    ['a method we do not serve, beside a path with an id', 'PUT', '/v1/transactions/sync', 'key', 405],
    ['a method we do not serve, without a key', 'PUT', '/v1/entities', '', 401],
    ['a method we do not serve, on an unknown id', 'PATCH', `/v1/connections/${unknownId}`, 'key', 404],
    ['a method we do not serve, on a known id', 'PATCH', `/v1/connections/${connectionId}`, 'key', 405],
    ['a method that the document does not have', 'PUT', '/openapi.json', '', 405],
  ])('%s', async (...[, method, path, credential, status]) => {
    const answer = await gateway.send(method, path, credential === '' ? { key: '' } : {});
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.body).sort()).toEqual(['details', 'message', 'requestId', 'type']);
    if (status === 405) expect(answer.headers.get('allow')).toMatch(/GET, HEAD/);
  });

  test.each([
    ['an address that is too long', `GET /v1/entities?externalEntityId=${'x'.repeat(20_000)} HTTP/1.1`, 431],
    ['what is no HTTP', 'HELLO', 400],
  ])('%s is refused in the words of the contract', async (_, line, status) => {
    const { hostname, port } = new URL(gateway.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(`${line}\r\nHost: a.example\r\n\r\n`);
    const answer = await text(socket);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
      type: 'invalid_request',
      message: expect.any(String),
      requestId: /X-Request-Id: (.*)\r/.exec(answer)?.[1],
      details: null,
    });
  });
});
