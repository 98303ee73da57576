import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, connected, type Answer, type Client, type Row } from './client.ts';

const limits = { entities: 3, connections: 3, webhooks: 2, openTransfers: 2 };

describeWithPostgres('quotas', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  let system: System;
  let client: Client;

  beforeAll(async () => {
    const env = {
      CAUSEWAY_MAX_ENTITIES: String(limits.entities),
      CAUSEWAY_MAX_CONNECTIONS: String(limits.connections),
      CAUSEWAY_MAX_WEBHOOKS: String(limits.webhooks),
      CAUSEWAY_MAX_OPEN_TRANSFERS: String(limits.openTransfers),
      CAUSEWAY_REQUESTS_PER_SECOND: '0',
      CAUSEWAY_SANDBOX_LARGE_ROWS: '10',
    };
    system = await startSystem({ dataDir, env });
    client = clientOf(system);
  });

  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
  });

  /** What 50 at once come to: those that made something; all others must be refused for the quota. */
  const atOnce = async (quota: keyof typeof limits, make: (n: number) => Promise<Answer>): Promise<Answer[]> => {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => make(n)));
    const refused = answers.filter(({ status }) => status >= 300);
    for (const { status, body } of refused) {
      const { type, details } = body;
      expect({ status, type, details }).toEqual({
        ...{ status: 409, type: 'conflict' },
        details: { quota, limit: limits[quota] },
      });
    }
    return answers.filter(({ status }) => status < 300);
  };
  const entity = (name: string) => client.send('POST', '/v1/entities', { externalEntityId: name });
  const connect = (entityId: string, institutionId = 'sandbox-instant') =>
    client.send('POST', '/v1/connections', { institutionId, entityId });

  test('of entities, at the limit less one, one of 50 is made; the default one counts', async () => {
    expect((await entity('first')).status).toBe(201);
    expect(await atOnce('entities', (n) => entity(`another-${n}`))).toHaveLength(1);
    const repeated = await entity('first');
    expect([repeated.status, repeated.body['details']]).toEqual([409, null]);
  });

  test('of connections: one that exists is found again, one that is deleted leaves its place', async () => {
    const entities = await client.all('/v1/entities');
    const idOf = (n: number) => String(entities[n % entities.length]?.['entityId']);
    const id = await connected(client, 'sandbox-instant', idOf(0));
    expect((await connect(idOf(0), 'sandbox-files')).status).toBe(201);
    const kinds = ['sandbox-slow', 'sandbox-large'];
    expect(await atOnce('connections', (n) => connect(idOf(n), kinds[n % kinds.length]))).not.toHaveLength(0);
    expect(await client.all('/v1/connections')).toHaveLength(limits.connections);
    expect((await connect(idOf(0))).status).toBe(200);
    expect((await client.send('DELETE', `/v1/connections/${id}`)).status).toBe(200);
    expect((await connect(idOf(1))).status).toBe(201);
    expect((await connect(idOf(2))).status).toBe(409);
  });

  test('of webhooks', async () => {
    const make = () => client.send('POST', '/v1/webhooks', { url: 'https://192.0.2.1/hook', events: ['test'] });
    const url = 'https://8.8.8.8/hook';
    const hook = () => client.send('POST', '/v1/webhooks', { url, events: ['test'] });
    expect((await make()).status).toBe(400);
    const made = await atOnce('webhooks', hook);
    expect(made).toHaveLength(limits.webhooks);
    const { id } = made[0]?.body['webhook'] as { id: string };
    expect((await client.send('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
    expect(await atOnce('webhooks', hook)).toHaveLength(1);
  });

  test('of open transfers: a repeated one is no new one', async () => {
    const accounts: Row[] = [];
    for (const { id } of await client.all('/v1/connections')) {
      accounts.push(...(await client.all(`/v1/accounts?connectionId=${id}&currency=USD`)));
      if (accounts.length > 1) break;
    }
    const [source, destination] = ['checking', 'savings'].map((type) => accounts.find((one) => one['type'] === type));
    const order = {
      type: 'internal',
      amount: { type: 'money', currency: 'USD', value: '0.01' },
      sourceAccountId: source?.id,
      destination: { type: 'account', accountId: destination?.id },
    };
    const post = (n: number, more: object = {}) =>
      client.send('POST', '/v1/transfers', { ...order, ...more }, { 'Idempotency-Key': `transfer-${n}` });
    const later = { executionDate: new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10) };
    const made = await atOnce('openTransfers', (n) => post(n, later));
    expect(made).toHaveLength(limits.openTransfers);
    const numbers = await Promise.all(Array.from({ length: 50 }, async (_, n) => (await post(n, later)).status));
    expect(numbers.filter((status) => status === 202)).toHaveLength(limits.openTransfers);
  });
});
