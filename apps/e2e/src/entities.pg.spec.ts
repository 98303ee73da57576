import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, connected, until, type Client, type Json } from './client.ts';

describeWithPostgres('entities', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  let system: System;
  let client: Client;
  let live: Client;

  beforeAll(async () => {
    system = await startSystem({ dataDir, env: { CAUSEWAY_REQUESTS_PER_SECOND: '0' } });
    client = clientOf(system);
    live = clientOf({ ...system, testKey: system.liveKey });
  });
  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
  });

  const create = async (more: object = {}): Promise<Json> => {
    const { status, body } = await client.send('POST', '/v1/entities', { externalEntityId: randomUUID(), ...more });
    expect(status).toBe(201);
    return body;
  };
  const pathOf = ({ entityId }: Json): string => `/v1/entities/${String(entityId)}`;
  const change = (entity: Json, body: object) => client.send('PATCH', pathOf(entity), body);

  test('a change takes effect at once, in what it names', async () => {
    const entity = await create({ name: 'Acme', metadata: { tier: 1 }, contactEmails: ['a@acme.example'] });
    const contactEmails = ['B@acme.example', 'c@acme.example'];
    const { status, body } = await change(entity, { contactEmails: [...contactEmails, 'b@ACME.example'] });
    expect([status, body]).toEqual([200, { ...entity, contactEmails, updatedAt: body['updatedAt'] }]);
    expect(String(body['updatedAt']) > String(entity['updatedAt'])).toBe(true);
    expect((await client.get(pathOf(entity))).body).toEqual(body);
    const cleared = (await change(entity, { name: null, metadata: null, contactEmails: [] })).body;
    expect(cleared).toMatchObject({ contactEmails: [], metadata: {} });
    expect(cleared).not.toHaveProperty('name');
    expect((await change(entity, {})).body).toEqual(cleared);
  });

  test.each([
    ['contactEmails', { contactEmails: null }],
    ['contactEmails', { contactEmails: ['nobody'] }],
    ['contactEmails', { contactEmails: Array.from({ length: 101 }, (_, n) => `a${n}@acme.example`) }],
    ['name', { name: 7 }],
    ['name', { name: 'x'.repeat(513) }],
    ['metadata', { metadata: [] }],
    ['externalEntityId', { externalEntityId: 'another' }],
  ])('a change of %s to %j is refused, and named', async (path, body) => {
    const refused = await change(await create(), body);
    expect([refused.status, refused.body['type']]).toEqual([400, 'invalid_request']);
    const { errors } = refused.body['details'] as { errors: { path: string }[] };
    expect(errors[0]?.path.startsWith(path)).toBe(true);
  });

  test('one that is deleted goes with all that is known of its connections', async () => {
    const entity = await create();
    const id = await connected(client, 'sandbox-instant', String(entity['entityId']));
    expect((await client.all(`/v1/transactions?connectionId=${id}&limit=500`)).length).toBeGreaterThan(100);
    const deleted = await client.send('DELETE', pathOf(entity));
    expect([deleted.status, deleted.body]).toEqual([204, {}]);
    for (const path of [pathOf(entity), `/v1/connections/${id}`]) expect((await client.get(path)).status).toBe(404);
    for (const list of ['accounts', 'transactions', 'balances', 'connections']) {
      expect(await client.all(`/v1/${list}?entityId=${String(entity['entityId'])}`)).toEqual([]);
    }
    expect((await client.send('DELETE', pathOf(entity))).status).toBe(404);
    const again = await create({ externalEntityId: entity['externalEntityId'] });
    expect(again['entityId']).not.toBe(entity['entityId']);
  });

  test('one stays that is the default, that syncs, or that has connections in the other environment', async () => {
    const [standard] = (await client.all('/v1/entities')).filter((row) => row['isDefaultOrgEntity'] === true);
    const syncing = await create();
    const slow = { institutionId: 'sandbox-slow', entityId: syncing['entityId'] };
    const { body: connection } = await client.send('POST', '/v1/connections', slow);
    const elsewhere = await create();
    const portal = { portalUrl: 'https://bank.example', entityId: elsewhere['entityId'] };
    expect((await live.send('POST', '/v1/connections', portal)).status).toBe(201);
    for (const entity of [standard as Json, syncing, elsewhere]) {
      const refused = await client.send('DELETE', pathOf(entity));
      expect([refused.status, refused.body['type']]).toEqual([409, 'conflict']);
      expect((await client.get(pathOf(entity))).status).toBe(200);
    }
    const path = `/v1/connections/${String(connection['id'])}`;
    await until('the sync ends', async () => (await client.get(path)).body['syncStatus'] === 'idle');
    expect((await client.send('DELETE', pathOf(syncing))).status).toBe(204);
    expect((await live.send('DELETE', pathOf(elsewhere))).status).toBe(204);
  });
});
