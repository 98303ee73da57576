import { issueApiKey, revokeApiKey, untilUsable, type ApiKeyRequest } from '@causeway/api-keys';
import { noDataKeys } from '@causeway/data-keys';
import { postgresEventStore } from '@causeway/event-store-postgres';
import type { Consumer } from '@causeway/messaging';
import { inProcessBroker } from '@causeway/messaging-in-process';
import type { Pool } from '@causeway/postgres';
import { newSecret, keysIn } from '@causeway/settings';
import { testDatabase } from '@causeway/testing';
import { apiScopes } from '@causeway/domain/gateway';
import type { GatewayConfig } from '../src/config.ts';
import { openGateway } from '../src/gateway.module.ts';
import { eventsSchema, migrateGateway } from '../src/migrations.ts';
import { insert, makeReadModels } from './tables.ts';

const secrets = [{ id: '1', key: Buffer.alloc(32, 7) }] as const;
const tokenKeys = keysIn({ CAUSEWAY_TOKEN_KEYS: newSecret('CAUSEWAY_TOKEN_KEYS') }, 'CAUSEWAY_TOKEN_KEYS');

export type Sent = Readonly<{ status: number; body: Record<string, unknown>; text: string; headers: Headers }>;

export type GatewayUnderTest = Readonly<{
  pool: Pool;
  baseUrl: string;
  /** `METHOD /path/{id}` of all that the server routes, HEAD aside. */
  routes: readonly string[];
  /** A key of organization `demo`, environment test, every scope. */
  key: string;
  issue(request: Partial<ApiKeyRequest>): Promise<Readonly<{ key: string; keyId: string }>>;
  revoke: (keyId: string) => Promise<unknown>;
  send(
    method: string,
    path: string,
    init?: Readonly<{ body?: unknown; headers?: Record<string, string>; key?: string }>,
  ): Promise<Sent>;
  close(): Promise<void>;
}>;

const ready = async (baseUrl: string): Promise<void> => {
  const answer = await fetch(`${baseUrl}/healthz`);
  if (answer.status !== 200) throw new Error(`the gateway is not well: ${await answer.text()}`);
};

export const entityOf = (organization: string, n: number): object => ({
  organization,
  entityId: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  externalEntityId: `default of ${organization}`,
  isDefaultOrgEntity: true,
  name: null,
  contactEmails: [],
  metadata: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
});

/** Each line of the tree that the server prints: what leads to it, its part of the path, its methods. */
const branch = /^((?:│   | {4})*)[├└]── (\S+)(?: \(([^)]*)\))?/gm;

const routesIn = (printed: string): readonly string[] => {
  const trunk: string[] = [];
  return [...printed.matchAll(branch)].flatMap(([, indent = '', part = '', methods = '']) => {
    trunk.splice(indent.length / 4, Infinity, part);
    const path = trunk.join('').replaceAll(/:(\w+)/g, '{$1}');
    return methods.split(', ').flatMap((method) => (method === '' || method === 'HEAD' ? [] : `${method} ${path}`));
  });
};

/** The real gateway on a real socket and database; `owner` stands for the services that own the commands. */
export const startGateway = async (
  owner: Omit<Consumer, 'group' | 'events'> & Partial<Pick<Consumer, 'events'>>,
  overrides: Partial<GatewayConfig> = {},
): Promise<GatewayUnderTest> => {
  const database = await testDatabase();
  const { pool, url: databaseUrl } = database;
  await migrateGateway({ databaseUrl });
  await makeReadModels(pool);
  const bus = inProcessBroker({ deadLetters: { add: async () => undefined }, startMarginMs: 0 });
  await bus.consume({ events: new Map(), ...owner, group: 'owner' });
  bus.open();
  const limits = { requestsPerSecond: 0, requestBurst: 0 };
  const eventStore = { kind: 'postgres' } as const;
  const address = {
    databaseUrl,
    eventStore,
    apiKeySecrets: secrets,
    cursorSecrets: secrets,
    tokenKeys,
    publicUrl: undefined,
    proxies: { trusted: [], header: 'x-forwarded-for' } as const,
    port: 0,
    host: '127.0.0.1',
  };
  const config = { ...address, logLevel: 'silent', ...limits, ...overrides };
  const app = await openGateway(config, { bus, others: () => ({}) });
  await app.listen(0, '127.0.0.1');
  const baseUrl = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  await ready(baseUrl);

  const store = postgresEventStore({ pool, schema: eventsSchema, dataKeys: noDataKeys });
  const place = { store, secrets, now: () => new Date().toISOString() };
  await insert(pool, 'entities', [entityOf('demo', 1), entityOf('other', 2)]);
  const issue: GatewayUnderTest['issue'] = async (request) => {
    const whole = { organization: 'demo', environment: 'test' as const, scopes: apiScopes, allowedIps: [], ...request };
    const issued = await issueApiKey(place, { expiresAt: '2099-01-01T00:00:00.000Z', ...whole });
    if (!(await untilUsable(pool, issued, 10_000))) throw new Error('the key did not become usable');
    return issued;
  };
  const { key } = await issue({});

  const send: GatewayUnderTest['send'] = async (method, path, { body, headers = {}, key: other = key } = {}) => {
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const credential: Record<string, string> = other === '' ? {} : { authorization: `Bearer ${other}` };
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...credential, ...json, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const parsed = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { status: answer.status, body: parsed, text, headers: answer.headers };
  };
  const close = async (): Promise<void> => {
    await app.close();
    await bus.close();
    await store.close();
    await database.drop();
  };
  const routes = routesIn(app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false }));
  return { pool, baseUrl, routes, key, issue, revoke: (keyId) => revokeApiKey(place, keyId), send, close };
};
