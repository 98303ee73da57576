import { createConnection, createEntity, deleteEntity, updateEntity, type EntityV1 } from '@causeway/contracts';
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
import { scope, using } from '../../testing/syncs-under-test.ts';
import { defaultEntityId } from './create-entity.ts';

const { organization } = scope;

describeWithPostgres('an entity', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  const { idle, sql } = using(() => service);

  const register = async (externalEntityId: string = randomUUID()): Promise<EntityV1> =>
    dataOf(
      await service.request(createEntity, {
        ...{ organization, externalEntityId, name: 'Acme', metadata: { tier: 1 } },
        contactEmails: ['a@acme.example', 'A@ACME.example'],
      }),
    );
  const connect = (entityId: string, institutionId = 'sandbox-instant') =>
    service.request(createConnection, { ...scope, entityId, institutionId, portalUrl: null });
  const remove = (entityId: string, whose: Readonly<{ organization: string; environment: 'live' | 'test' }> = scope) =>
    service.request(deleteEntity, { ...whose, entityId });
  const left = async (entityId: string): Promise<number> => {
    const [row] = await sql<{ left: number }>(
      `SELECT (SELECT count(*) FROM read_models.entities_v1 WHERE entity_id = $1)
            + (SELECT count(*) FROM read_models.connections_v1 WHERE entity_id = $1)
            + (SELECT count(*) FROM read_models.accounts_v1 WHERE entity_id = $1) AS left`,
      [entityId],
    );
    return Number(row?.left);
  };

  test('has each contact once, and changes what is given alone', async () => {
    const { entityId, contactEmails, updatedAt } = await register();
    expect(contactEmails).toEqual(['a@acme.example']);
    const change = async (given: object) =>
      dataOf(await service.request(updateEntity, { organization, entityId, ...given }));
    const changed = await change({ contactEmails: ['B@acme.example', 'b@acme.example', 'a@acme.example'] });
    expect(changed).toMatchObject({ name: 'Acme', contactEmails: ['B@acme.example', 'a@acme.example'] });
    expect(changed.updatedAt > updatedAt).toBe(true);
    expect(await change({ name: null, metadata: null })).toMatchObject({ name: null, metadata: null });
    const [row] = await sql<object>('SELECT * FROM read_models.entities_v1 WHERE entity_id = $1', [entityId]);
    expect(row).toMatchObject({ name: null, contact_emails: ['B@acme.example', 'a@acme.example'] });
    const other = await service.request(updateEntity, { organization: 'other', entityId, name: 'Mine' });
    expect(other).toMatchObject({ ok: false, problem: { status: 404 } });
  });

  test('goes with its connections and accounts; nothing of it is readable once that is answered', async () => {
    const { entityId, externalEntityId } = await register();
    const [one, two] = [dataOf(await connect(entityId)), dataOf(await connect(entityId, 'sandbox-soon'))];
    await idle(one.connection.id);
    expect(await left(entityId)).toBe(1 + 2 + 5);
    const { connectionIds, before } = dataOf(await remove(entityId));
    expect([[...connectionIds].sort(), before]).toEqual([[one.connection.id, two.connection.id].sort(), false]);
    expect(await left(entityId)).toBe(0);
    const keys = await sql('SELECT FROM data_keys.data_key WHERE id = ANY ($1) AND wrapped IS NOT NULL', [
      connectionIds,
    ]);
    expect(keys).toEqual([]);
    expect(await connect(entityId)).toMatchObject({ ok: false, problem: { status: 400 } });
    expect((await register(externalEntityId)).entityId).not.toBe(entityId);
    const { store } = elsewhere(service);
    await eventually(async () => ((await store.readStream(`entity-${entityId}`)).length === 0 ? true : undefined));
    await store.close();
    expect(await remove(entityId)).toMatchObject({ ok: false, problem: { status: 404 } });
  });

  test('whose deletion a crash cut off goes all the same, and gives its name back', async () => {
    const { entityId, externalEntityId } = await register();
    const { id: connectionId } = dataOf(await connect(entityId, 'sandbox-delegated')).connection;
    const { store, aggregates } = elsewhere(service);
    const connections = [{ connectionId, environment: scope.environment, isSyncing: false }];
    const command = {
      entityId,
      organization,
      environment: scope.environment,
      connections,
      at: new Date().toISOString(),
    };
    await aggregates.entity({ type: 'DeleteEntity', ...command }, ownContext(scope));
    await eventually(async () => ((await left(entityId)) === 0 ? true : undefined));
    await eventually(async () => ((await store.readStream(`entity-${entityId}`)).length === 0 ? true : undefined));
    await store.close();
    expect((await register(externalEntityId)).entityId).not.toBe(entityId);
  });

  test('whose read model is built anew keeps its events until that has seen them', async () => {
    const { entityId } = await register();
    await sql(
      `INSERT INTO connections.projection (name, version, live, stage, tables, ddl, generation)
       VALUES ('entities', 99, false, 'building', '{}', '', 99)`,
      [],
    );
    dataOf(await remove(entityId));
    const { store } = elsewhere(service);
    const isWaiting = async (): Promise<true | undefined> => {
      const rows = await sql('SELECT FROM connections.work_item WHERE id = $1 AND due_at > now() + $2::interval', [
        ...[entityId, '30 seconds'],
      ]);
      return rows.length === 1 ? true : undefined;
    };
    await eventually(isWaiting);
    expect((await store.readStream(`entity-${entityId}`)).map(({ type }) => type)).toContain('EntityDeleted');
    await store.close();
    await sql('DELETE FROM connections.projection WHERE version = 99', []);
  });

  test('stays while one of its connections syncs', async () => {
    const { entityId } = await register();
    service.answer.of = undefined;
    dataOf(await connect(entityId));
    expect(await remove(entityId)).toMatchObject({ ok: false, problem: { status: 409, type: 'conflict' } });
    service.answer.of = (run) => ({ changes: run.parts.length, refused: [] });
    expect(await left(entityId)).toBeGreaterThan(1);
  });

  test('stays while it has connections in the other environment', async () => {
    const { entityId } = await register();
    dataOf(await connect(entityId, 'sandbox-soon'));
    const reply = await remove(entityId, { ...scope, environment: 'live' });
    expect(reply).toMatchObject({ ok: false, problem: { status: 409, type: 'conflict' } });
  });

  test('of another organization is not there', async () => {
    const { entityId } = await register();
    const reply = await remove(entityId, { ...scope, organization: 'other' });
    expect(reply).toMatchObject({ ok: false, problem: { status: 404 } });
    expect(await remove(defaultEntityId('nobody'))).toMatchObject({ ok: false, problem: { status: 404 } });
  });

  test('that is deleted while connections are made for it leaves none, however the two meet', async () => {
    const { entityId } = await register();
    const [, ...made] = await Promise.all([
      remove(entityId),
      ...['sandbox-soon', 'sandbox-delegated', 'sandbox-instant'].map((institution) => connect(entityId, institution)),
    ]);
    // It may have been refused, for one that had begun to sync.
    await eventually(async () => ((await remove(entityId)).ok ? undefined : (await left(entityId)) === 0 || undefined));
    const refusals = made.flatMap((reply) => (reply.ok ? [] : [reply.problem.status]));
    expect(refusals.filter((status) => status !== 400)).toEqual([]);
  });
});
