import { createConnection, createEntity, deleteConnection, syncConnection } from '@causeway/contracts';
import { ownContext } from '@causeway/service';
import { describeWithPostgres } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import {
  dataOf,
  elsewhere,
  eventually,
  startService,
  type ServiceUnderTest,
} from '../../testing/service-under-test.ts';
import { namesIn } from './names.ts';

const organization = 'demo';
const scope = { organization, environment: 'test' } as const;
const details = {
  type: 'checking',
  name: 'Late',
  officialName: null,
  status: 'open',
  number: '1234567890',
  routingNumber: null,
  swiftBic: null,
  currentBalance: '1.00',
  availableBalance: null,
  balanceAsOf: null,
} as const;

describeWithPostgres('commands of connections', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const register = (externalEntityId: string, whose = organization) =>
    service.request(createEntity, {
      organization: whose,
      externalEntityId,
      name: null,
      contactEmails: [],
      metadata: null,
    });
  const newEntity = async (): Promise<string> => dataOf(await register(randomUUID())).entityId;
  const connect = (entityId: string | null, to: { institutionId?: string; portalUrl?: string }, its = scope) =>
    service.request(createConnection, { ...its, entityId, institutionId: null, portalUrl: null, ...to });
  const rowsOf = async (view: string, id: string) =>
    (await service.database.pool.query(`SELECT * FROM read_models.${view} WHERE id = $1`, [id])).rows as object[];

  test('100 concurrent registrations of one name make one entity; 99 hear that it is taken', async () => {
    const replies = await Promise.all(Array.from({ length: 100 }, () => register('raced')));
    expect(replies.filter((reply) => reply.ok)).toHaveLength(1);
    const refusals = replies.flatMap((reply) => (reply.ok ? [] : [reply.problem]));
    expect(new Set(refusals.map(({ status, type }) => `${status} ${type}`))).toEqual(new Set(['409 conflict']));
    const { rows } = await service.database.pool.query(
      `SELECT count(*) FROM read_models.entities_v1 WHERE external_entity_id = 'raced'`,
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  test('the same name in another organization is another entity', async () => {
    expect((await register('twice')).ok).toBe(true);
    expect((await register('twice', 'other')).ok).toBe(true);
  });

  test('100 concurrent creates give one connection, which one of them finds new', async () => {
    const entityId = await newEntity();
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => connect(entityId, { institutionId: 'sandbox-soon' })),
    );
    const made = replies.map(dataOf);
    expect(new Set(made.map(({ connection }) => connection.id)).size).toBe(1);
    expect(made.filter(({ created }) => created)).toHaveLength(1);
  });

  test('an institution and its portal are one destination; another spelling of the portal, too', async () => {
    const entityId = await newEntity();
    const first = dataOf(await connect(entityId, { institutionId: 'sandbox-soon' }));
    const again = dataOf(await connect(entityId, { portalUrl: 'https://SOON.sandbox-bank.example:443/login/#x' }));
    expect(again).toMatchObject({ created: false, connection: { id: first.connection.id } });
  });

  test('a portal that no institution matches gives a draft that does not sync', async () => {
    const entityId = await newEntity();
    const { connection } = dataOf(await connect(entityId, { portalUrl: 'https://Bank.Example/' }));
    expect(connection).toMatchObject({
      kind: 'setup',
      status: 'draft',
      syncStatus: 'idle',
      institutionId: null,
      portalUrl: 'https://bank.example',
    });
    const reply = await service.request(syncConnection, { ...scope, connectionId: connection.id });
    expect(reply).toMatchObject({ ok: false, problem: { status: 409, type: 'conflict' } });
  });

  test.each([
    ['an unknown institution', { institutionId: 'no-such-bank' }, scope, 'institutionId'],
    ['a sandbox institution for a live key', { institutionId: 'sandbox-instant' }, 'live', 'institutionId'],
    [
      'a portal of another institution',
      { institutionId: 'sandbox-soon', portalUrl: 'https://instant.sandbox-bank.example' },
      scope,
      'portalUrl',
    ],
    ['an address that is no portal', { portalUrl: 'http://bank.example' }, scope, 'portalUrl'],
  ])('%s is refused, and named', async (_, to, its, path) => {
    const whose = its === 'live' ? ({ organization, environment: 'live' } as unknown as typeof scope) : scope;
    const reply = await connect(await newEntity(), to, whose);
    expect(reply).toMatchObject({ ok: false, problem: { status: 400, details: { errors: [{ path }] } } });
  });

  test('an entity of another organization is refused like one that is not there', async () => {
    const { entityId } = dataOf(await register(randomUUID(), 'other'));
    const reply = await connect(entityId, { institutionId: 'sandbox-soon' });
    expect(reply).toMatchObject({ ok: false, problem: { status: 400, details: { errors: [{ path: 'entityId' }] } } });
  });

  test('what a crash left claimed is used by the next request', async () => {
    const { store, aggregates } = elsewhere(service);
    const names = namesIn(aggregates, service.config.reservationSecret);
    const entityId = await newEntity();
    const [claimed, at] = [randomUUID(), '2026-03-01T10:00:00.000Z'];
    const name = ['connection', organization, 'test', entityId, 'sandbox-soon'] as const;
    await names.claim(name, claimed, at, ownContext(scope));
    await names.claim(['entity', organization, 'orphan'], claimed, at, ownContext(scope));
    await store.close();

    const made = dataOf(await connect(entityId, { institutionId: 'sandbox-soon' }));
    expect(made).toMatchObject({ created: true, connection: { id: claimed } });
    expect(dataOf(await register('orphan'))).toMatchObject({ entityId: claimed });
  });

  test('a deleted connection is gone when it is answered, and one made again has another id', async () => {
    const entityId = await newEntity();
    const { connection } = dataOf(await connect(entityId, { institutionId: 'sandbox-instant' }));
    const { id: connectionId } = connection;
    await eventually(async () => {
      const { rows } = await service.database.pool.query(
        'SELECT id FROM read_models.accounts_v1 WHERE connection_id = $1',
        [connectionId],
      );
      return rows.length === 5 ? rows : undefined;
    });
    dataOf(await service.request(deleteConnection, { ...scope, connectionId }));
    expect(await rowsOf('connections_v1', connectionId)).toEqual([]);
    const left = await service.database.pool.query('SELECT 1 FROM read_models.accounts_v1 WHERE connection_id = $1', [
      connectionId,
    ]);
    expect(left.rows).toEqual([]);
    const { rows: keys } = await service.database.pool.query('SELECT wrapped FROM data_keys.data_key WHERE id = $1', [
      connectionId,
    ]);
    expect(keys).toEqual([{ wrapped: null }]);

    expect(dataOf(await service.request(deleteConnection, { ...scope, connectionId }))).toMatchObject({ before: true });
    const again = dataOf(await connect(entityId, { institutionId: 'sandbox-instant' }));
    expect(again.created).toBe(true);
    expect(again.connection.id).not.toBe(connectionId);
  });

  test('a connection that was deleted is not made again by its own command', async () => {
    const entityId = await newEntity();
    const command = { ...scope, entityId, institutionId: 'sandbox-instant', portalUrl: null };
    const [first, next] = [randomUUID(), randomUUID()];
    const made = dataOf(await service.request(createConnection, command, first));
    expect(dataOf(await service.request(createConnection, command, first)).created).toBe(false);
    dataOf(await service.request(deleteConnection, { ...scope, connectionId: made.connection.id }));
    await expect(service.request(createConnection, command, first)).rejects.toThrow(`${createConnection.type} failed`);
    expect(await rowsOf('connections_v1', made.connection.id)).toEqual([]);
    expect(dataOf(await service.request(createConnection, command, next)).created).toBe(true);
  });

  test('an account that a run brings after the end of its connection is not shown', async () => {
    const entityId = await newEntity();
    const { id: connectionId } = dataOf(await connect(entityId, { institutionId: 'sandbox-soon' })).connection;
    dataOf(await service.request(deleteConnection, { ...scope, connectionId }));
    const { store, aggregates } = elsewhere(service);
    const [accountId, at] = [randomUUID(), '2026-03-01T10:00:00.000Z'];
    const its = { accountId, scope, entityId, connectionId, key: 'late', currency: 'USD', details, at };
    await aggregates.account({ type: 'ObserveAccount', ...its }, ownContext(scope));
    await store.close();
    // Answered when the read models show everything before it.
    dataOf(await connect(await newEntity(), { institutionId: 'sandbox-soon' }));
    expect(await rowsOf('accounts_v1', accountId)).toEqual([]);
  });

  test('another organization or environment can neither sync nor delete a connection', async () => {
    const { connection } = dataOf(await connect(await newEntity(), { institutionId: 'sandbox-soon' }));
    for (const whose of [{ ...scope, organization: 'other' }, { ...scope, environment: 'live' } as const]) {
      for (const contract of [syncConnection, deleteConnection]) {
        const reply = await service.request(contract, { ...whose, connectionId: connection.id });
        expect(reply).toMatchObject({ ok: false, problem: { status: 404 } });
      }
    }
  });
});
