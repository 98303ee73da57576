import { newSecret } from '@causeway/settings';
import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Keys = { keys: object[] };
type Route = Readonly<{ method: string; path: string; scope: string }>;

const unknownId = '00000000-0000-4000-8000-000000000000';
const name = 'CAUSEWAY_TOKEN_KEYS';
const [old, young] = [newSecret(name), newSecret(name)].map((text) => (JSON.parse(text) as Keys).keys[0]) as [
  object,
  object,
];
const setOf = (...keys: object[]) => ({ [name]: JSON.stringify({ keys }) });

describeWithPostgres('a key and its tokens', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  let system: System;
  let routes: readonly Route[] = [];

  const tokenOf = async (members: Record<string, string> = {}): Promise<string> => {
    const [, , client_id = '', client_secret = ''] = system.testKey.split('_');
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, ...members });
    const answer = await fetch(`${system.baseUrl}/oauth/token`, { method: 'POST', body });
    return ((await answer.json()) as { access_token: string }).access_token;
  };
  const ask = async ({ method, path }: Pick<Route, 'method' | 'path'>, credential?: string) => {
    const takesBody = method === 'POST' || method === 'PATCH' || path.endsWith('/credentials');
    const answer = await fetch(`${system.baseUrl}${path}`, {
      method,
      headers: {
        ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
        ...(takesBody ? { 'content-type': 'application/json' } : {}),
      },
      ...(takesBody ? { body: '{"nothing":"of ours"}' } : {}),
    });
    const { type, details } = (answer.status < 300 ? {} : await answer.json()) as { type?: string; details?: unknown };
    return { status: answer.status, type, details };
  };

  beforeAll(async () => {
    system = await startSystem({ dataDir, env: setOf(old) });
    const document = (await (await fetch(`${system.baseUrl}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { 'x-required-scope'?: string }>>;
    };
    routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { 'x-required-scope': scope }]) =>
        scope === undefined
          ? []
          : [{ method: method.toUpperCase(), path: path.replaceAll(/{\w+}/g, unknownId), scope }],
      ),
    );
  });
  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
  });

  test('are taken alike by every route, and by none without its scope', async () => {
    expect(routes.length).toBeGreaterThan(30);
    const token = await tokenOf();
    const narrow: Record<string, string> = {};
    for (const scope of ['accounts:read', 'entities:read']) narrow[scope] = await tokenOf({ scope });
    const differing = [];
    for (const route of routes) {
      const [byKey, byToken] = [await ask(route, system.testKey), await ask(route, token)];
      const other = route.scope === 'accounts:read' ? 'entities:read' : 'accounts:read';
      const [unscoped, unknown] = [await ask(route, narrow[other]), await ask(route)];
      const seen = { byToken, unscoped, unknown: unknown.status };
      const forbidden = { status: 403, type: 'forbidden', details: { requiredScope: route.scope } };
      if (JSON.stringify(seen) !== JSON.stringify({ byToken: byKey, unscoped: forbidden, unknown: 401 })) {
        differing.push({ route, byKey, ...seen });
      }
      expect([200, 400, 404]).toContain(byKey.status);
    }
    expect(differing).toEqual([]);
  });

  test('stay good while the keys that sign tokens are rotated', async () => {
    const institutions = { method: 'GET', path: '/v1/institutions' };
    const before = await tokenOf();
    const { port } = new URL(system.baseUrl);
    // Clients find it where it was.
    const restart = async (keys: Record<string, string>) => {
      await system.stop();
      system = await startSystem({ dataDir, env: { ...keys, CAUSEWAY_PORT: port } });
    };
    await restart(setOf(young, old));
    const after = await tokenOf();
    const published = (await (await fetch(`${system.baseUrl}/.well-known/jwks.json`)).json()) as Keys;
    expect(published.keys).toHaveLength(2);
    for (const token of [before, after]) expect((await ask(institutions, token)).status).toBe(200);
    await restart(setOf(young));
    expect((await ask(institutions, before)).status).toBe(401);
    expect((await ask(institutions, after)).status).toBe(200);
  });
});
