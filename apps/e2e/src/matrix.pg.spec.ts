import { describeWithPostgres, discardSystem, issueKey, startSystem, type System } from '@causeway/testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, connected, until, type Answer, type Client } from './client.ts';
import { badTexts, badValues, membersOf, operations, type Operation, type Schema } from './interface.ts';

const secured = operations.filter(({ scope }) => scope !== null);
const scopes = [...new Set(secured.flatMap(({ scope }) => scope ?? []))];
const lists = secured.filter(({ method, path }) => method === 'GET' && !path.endsWith('}'));
const withIds = secured.filter(({ path }) => path.includes('{'));
const sending = secured.filter(({ method }) => method !== 'GET');
const unknownId = '00000000-0000-4000-8000-000000000000';

/** Members of ours that nobody sets from outside, and names that mean something to JavaScript. */
const ours = ['id', 'status', 'organization', 'organizationId', 'environment', 'createdAt', '__proto__', 'constructor'];

const named = ({ body }: Answer): readonly string[] => {
  const { errors } = (body['details'] ?? {}) as { errors?: readonly { path: string }[] };
  return (errors ?? []).map(({ path }) => path.split('.')[0] ?? '');
};

describeWithPostgres('every operation of the document', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  /** Of everything that a path can name, one of organization demo in test. */
  const ids: Record<string, string> = { institutionId: 'sandbox-instant' };
  let system: System;
  let client: Client;
  const clients = new Map<string, Client>();

  const pathOf = ({ path }: Operation, of: Readonly<Record<string, string>> = ids): string =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => of[name] ?? unknownId);
  /** With what else the operation cannot do without. */
  const asking = (operation: Operation, asked: Readonly<Record<string, string>>): string => {
    const needed = operation.parameters.filter((each) => each.in === 'query' && each.required === true);
    const given = Object.fromEntries(needed.map(({ name }) => [name, ids[name] ?? '']));
    return `${pathOf(operation)}?${new URLSearchParams({ ...given, ...asked }).toString()}`;
  };
  const firstId = async (path: string, member = 'id'): Promise<string> => String((await client.all(path))[0]?.[member]);

  beforeAll(async () => {
    const env = {
      CAUSEWAY_REQUESTS_PER_SECOND: '0',
      CAUSEWAY_SYNC_INTERVAL_SECONDS: '0',
      CAUSEWAY_SANDBOX_LARGE_ROWS: '10',
    };
    system = await startSystem({ dataDir, env });
    client = clientOf(system);
    const keyed = (testKey: string) => clientOf({ ...system, testKey });
    clients.set('another organization', keyed(await issueKey(dataDir, { organization: 'another' })));
    const makeWithout = async (scope: string): Promise<void> => {
      const others = scopes.filter((other) => other !== scope);
      clients.set(`without ${scope}`, keyed(await issueKey(dataDir, { scopes: others })));
    };
    await Promise.all(scopes.map(makeWithout));
    clients.set('the other environment', keyed(system.liveKey));
    await seed();
  });
  beforeEach(() => expect.hasAssertions());
  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
  });

  const seed = async (): Promise<void> => {
    const entity = await client.send('POST', '/v1/entities', { externalEntityId: 'one' });
    ids['entityId'] = String(entity.body['entityId']);
    ids['connectionId'] = await connected(client, 'sandbox-instant', ids['entityId']);
    ids['accountId'] = await firstId('/v1/accounts?type=checking&currency=USD');
    ids['date'] = await firstId(`/v1/balances?accountId=${ids['accountId']}`, 'date');
    ids['transactionId'] = await firstId('/v1/transactions');
    const savings = await firstId('/v1/accounts?type=savings&currency=USD');
    const transfer = await client.send('POST', '/v1/transfers', {
      ...{ type: 'internal', sourceAccountId: ids['accountId'], destination: { type: 'account', accountId: savings } },
      amount: { currency: 'USD', value: '1.00' },
    });
    ids['transferId'] = String(transfer.body['id']);
    const events = ['test'];
    const webhook = await client.send('POST', '/v1/webhooks', { url: 'https://receiver.example/hook', events });
    ids['webhookId'] = String((webhook.body['webhook'] as { id: string }).id);
    const tested = await client.send('POST', `/v1/webhooks/${ids['webhookId']}/test`);
    ids['eventId'] = String(tested.body['eventId']);
    const completed = async () =>
      (await client.get(`/v1/transfers/${ids['transferId']}`)).body['status'] === 'completed';
    await until('the transfer is completed', completed);
  };

  const caller = (name: string): Client => clients.get(name) ?? client;
  const rows = (all: readonly Operation[]) =>
    all.map((operation) => [operation.method, operation.path, operation] as const);

  test('there are such operations', () => {
    expect([secured.length, lists.length, withIds.length].every((count) => count > 8)).toBe(true);
  });

  test.each(rows(secured))('%s %s: 401 without a credential, 403 without its scope', async (_, __, operation) => {
    const bare = await fetch(`${system.baseUrl}${pathOf(operation)}`, { method: operation.method });
    expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    const refused = await caller(`without ${operation.scope}`).send(operation.method, pathOf(operation));
    expect([refused.status, refused.body['details']]).toEqual([403, { requiredScope: operation.scope }]);
  });

  test.each(rows(secured))('%s %s: an unknown parameter is 400 and named', async (_, __, operation) => {
    const answer = await client.send(operation.method, `${pathOf(operation)}?nonsense=1`, undefined);
    expect([answer.status, answer.body['type']]).toEqual([400, 'invalid_request']);
    expect(named(answer)).toContain('nonsense');
  });

  test.each(rows(secured.filter(({ parameters }) => parameters.some((each) => each.in === 'query'))))(
    '%s %s: each bound of each parameter',
    async (method, __, operation) => {
      for (const { name, in: place, schema } of operation.parameters) {
        if (place !== 'query') continue;
        const ask = (value: string) => client.send(method, asking(operation, { [name]: value }));
        for (const bad of badTexts(schema)) {
          const answer = await ask(bad);
          expect([name, bad, answer.status, named(answer)]).toEqual([name, bad, 400, [name]]);
        }
        for (const bound of ['minimum', 'maximum', 'default'].flatMap(
          (keyword) => (schema[keyword] ?? []) as string | number,
        )) {
          expect([name, bound, (await ask(String(bound))).status]).toEqual([name, bound, 200]);
        }
        if (name !== 'cursor') continue;
        const { status, body } = await ask('no-cursor-of-ours');
        expect([status, body['type']]).toEqual([400, 'invalid_cursor']);
      }
    },
  );

  test.each(rows(withIds))('%s %s: 404 for an id that is unknown, or none', async (method, _, operation) => {
    const own = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    for (const id of [unknownId, 'no-id']) {
      const { status, body } = await client.send(method, pathOf(operation, { ...ids, [own[0] ?? '']: id }));
      expect([id, status, body['type']]).toEqual([id, 404, 'not_found']);
    }
  });

  test.each(rows(withIds.filter(({ path }) => !path.includes('{institutionId}'))))(
    '%s %s: 404 for what is another’s, or of the other environment',
    async (method, _, operation) => {
      const isShared = operation.path.includes('{entityId}');
      for (const name of ['another organization', ...(isShared ? [] : ['the other environment'])]) {
        const { status } = await caller(name).send(method, pathOf(operation));
        expect([name, status]).toEqual([name, 404]);
      }
    },
  );

  test.each(rows(lists))(
    '%s %s: shows nobody what is another’s, whatever is asked for',
    async (method, path, operation) => {
      const own = Object.keys(ids).filter((name) => name !== 'institutionId' && name !== 'date');
      const mine = new Set(own.map((name) => ids[name] ?? ''));
      const filters = operation.parameters.filter(({ name }) => own.includes(name));
      const isOfOne = path.includes('{') || filters.some(({ required }) => required === true);
      const queries = [{}, ...filters.map(({ name }) => ({ [name]: ids[name] ?? '' }))];
      for (const name of ['another organization', 'the other environment']) {
        for (const query of queries) {
          const { status, body } = await caller(name).send(method, asking(operation, query));
          const shown = JSON.stringify(body['data'] ?? body['events'] ?? body);
          if (path === '/v1/entities' && name === 'the other environment') continue;
          if (isOfOne) expect(status).toBe(404);
          else expect([query, status, [...mine].filter((id) => shown.includes(id))]).toEqual([query, 200, []]);
        }
      }
    },
  );

  test.each(rows(sending))('%s %s: a body of another type is 415, one too large 413', async (method, _, operation) => {
    const headers = { authorization: `Bearer ${system.testKey}` };
    const sent = async (type: string, body: string) => {
      const init = { method, headers: { ...headers, 'content-type': type }, body };
      return (await fetch(`${system.baseUrl}${pathOf(operation)}`, init)).status;
    };
    expect(await sent('text/plain', 'x')).toBe(415);
    expect(await sent('application/json', `"${'x'.repeat(300 * 1024)}"`)).toBe(413);
    expect(await sent('application/json', '{"a":')).toBe(400);
  });

  /** The least that says which shape it is. */
  const discriminated = (shape: Schema): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      membersOf(shape).flatMap(([name, { const: only }]) => (name === 'type' && only ? [[name, only]] : [])),
    );

  test.each(rows(sending.filter(({ bodies }) => bodies.length > 0)))(
    '%s %s: each rule of each member of the body',
    async (method, _, operation) => {
      const path = pathOf(operation);
      for (const shape of operation.bodies) {
        const least = discriminated(shape);
        const required = (shape['required'] ?? []) as readonly string[];
        const missing = required.filter((name) => !Object.hasOwn(least, name));
        if (missing.length > 0)
          expect(named(await client.send(method, path, least))).toEqual(expect.arrayContaining(missing));
        const others = ['nonsense', ...ours].filter((name) => !membersOf(shape).some(([own]) => own === name));
        const overfull = JSON.parse(`{${others.map((name) => `"${name}":1`).join(',')}}`) as object;
        expect(named(await client.send(method, path, { ...least, ...overfull }))).toEqual(
          expect.arrayContaining(others),
        );
        for (const [name, schema] of membersOf(shape)) {
          if (Object.hasOwn(least, name)) continue;
          for (const value of badValues(schema)) {
            const answer = await client.send(method, path, { ...least, [name]: value });
            expect([name, value, answer.status, named(answer).includes(name)]).toEqual([name, value, 400, true]);
          }
        }
      }
    },
  );

  test.each(rows(sending.filter(({ bodies }) => bodies.length === 0)))(
    '%s %s: takes no body',
    async (method, _, operation) => {
      const answer = await client.send(method, pathOf(operation), { nonsense: 1 });
      expect([answer.status, named(answer)]).toEqual([400, ['nonsense']]);
    },
  );

  test.each([...new Set(operations.map(({ path }) => path))])(
    '%s: a method that it does not have is 405',
    async (path) => {
      const served = operations.filter((operation) => operation.path === path);
      const methods = served.map(({ method }) => method);
      const [operation] = served;
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !methods.includes(each))) {
        if (operation === undefined) continue;
        const { status, headers } = await client.send(method, pathOf(operation));
        const allowed = headers
          .get('allow')
          ?.split(', ')
          .filter((each) => each !== 'HEAD');
        expect([method, status, allowed?.toSorted()]).toEqual([method, 405, methods.toSorted()]);
      }
    },
  );
});
