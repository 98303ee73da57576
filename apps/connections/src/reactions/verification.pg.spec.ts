import {
  completeSetup,
  getSealingKey,
  sealedTo,
  storeCredentials,
  type ConnectionV1,
  type CredentialsV1,
} from '@causeway/contracts';
import { isKnown } from '@causeway/domain/connections';
import { describeWithPostgres } from '@causeway/testing';
import {
  dataOf,
  elsewhere,
  eventually,
  startService,
  type ServiceUnderTest,
} from '../../testing/service-under-test.ts';
import { scope, using } from '../../testing/syncs-under-test.ts';
import { credentialsOf } from '../commands/credentials.ts';

describeWithPostgres('a connection that needs a setup', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  const { connect, state, scenario, eventsOf, idle, sync, passTime } = using(() => service);

  const complete = (connectionId: string, whose = scope) => service.request(completeSetup, { ...whose, connectionId });
  const store = async (connectionId: string, credentials: CredentialsV1, sealedFor = connectionId, whose = scope) => {
    const { publicKey } = dataOf(await service.request(getSealingKey, scope));
    const sealed = await sealedTo(publicKey, JSON.stringify({ connectionId: sealedFor, credentials }));
    return service.request(storeCredentials, { ...whose, connectionId, sealed });
  };
  const until = (connectionId: string, status: ConnectionV1['status']) =>
    eventually(async () => {
      const row = await state(connectionId);
      return row?.status === status ? row : undefined;
    });
  const changesOf = async (connectionId: string) =>
    (await eventsOf(connectionId)).map(({ type }) => type).filter((type) => !/^(Account|Sync)/.test(type));

  test('is a draft until it is said to be complete; then a login shows, and the first sync begins', async () => {
    const connectionId = await connect('sandbox-delegated');
    expect(await state(connectionId)).toMatchObject({ status: 'draft', syncStatus: 'idle' });
    expect(await sync(connectionId)).toMatchObject({ ok: false, problem: { status: 409 } });
    const asked = dataOf(await complete(connectionId));
    expect(asked).toMatchObject({ kind: 'setup', status: 'pendingActivation', setup: { status: 'verifying' } });
    await until(connectionId, 'active');
    expect(await idle(connectionId)).toMatchObject({ status: 'active', errorCode: null });
    expect(await changesOf(connectionId)).toEqual([
      'ConnectionDrafted',
      'VerificationRequested',
      'ConnectionActivated',
    ]);
  });

  test('is active on account of the request that said so', async () => {
    const connectionId = await connect('sandbox-delegated');
    dataOf(await complete(connectionId));
    await until(connectionId, 'active');
    const { store: events } = elsewhere(service);
    const history = await events.readStream(`connection-${connectionId}`);
    await events.close();
    const [asked, activated, requested] = history.slice(1).map(({ metadata }) => metadata.correlationId);
    expect([activated, requested]).toEqual([asked, asked]);
  });

  test.each([
    ['reject-login', 'reauthRequired', 'login_refused'],
    ['no-rights', 'invalidConfig', 'insufficient_rights'],
  ])('is not active as %s, but %s; other credentials are tried at once', async (user, status, errorCode) => {
    const connectionId = await connect('sandbox-delegated');
    const stored = dataOf(await store(connectionId, { bankUsername: user, password: 'correct horse' }));
    expect(stored).toMatchObject({ status: 'draft', setup: { credentialsPresent: true, nextAction: 'completeSetup' } });
    dataOf(await complete(connectionId));
    expect(await until(connectionId, status)).toMatchObject({ errorCode });
    const again = dataOf(await store(connectionId, { password: 'battery staple' }));
    expect(again).toMatchObject({ status: 'pendingActivation', kind: 'setup' });
    await until(connectionId, status);
    expect(dataOf(await complete(connectionId))).toMatchObject({ setup: { credentialsPresent: true } });
    await until(connectionId, status);
    dataOf(await store(connectionId, { bankUsername: null }));
    expect(await until(connectionId, 'active')).toMatchObject({ errorCode: null });
  });

  test('that is active logs in with other credentials from its next sync on', async () => {
    const connectionId = await connect('sandbox-delegated');
    dataOf(await complete(connectionId));
    await until(connectionId, 'active');
    await idle(connectionId);
    expect(dataOf(await store(connectionId, { bankUsername: 'reject-login' }))).toMatchObject({ status: 'active' });
    dataOf(await sync(connectionId));
    expect(await idle(connectionId)).toMatchObject({ status: 'reauthRequired', errorCode: 'login_refused' });
    expect(await sync(connectionId)).toMatchObject({ ok: false, problem: { status: 409 } });
  });

  test('stays what it is while the bank is away, over a restart too, and is active when it is back', async () => {
    const connectionId = await connect('sandbox-delegated');
    await scenario(connectionId, 'down', { seconds: 2 });
    dataOf(await complete(connectionId));
    await eventually(async () => service.asked.find((path) => path === `/customers/${connectionId}`));
    expect(await state(connectionId)).toMatchObject({ status: 'pendingActivation', errorCode: null });
    await service.restart();
    await passTime(3);
    await until(connectionId, 'active');
  });

  test('is revoked when the bank has withdrawn the access, and keeps no credentials then', async () => {
    const connectionId = await connect('sandbox-delegated');
    await scenario(connectionId, 'revoke-access');
    dataOf(await complete(connectionId));
    expect(await until(connectionId, 'revoked')).toMatchObject({ errorCode: 'access_revoked' });
    expect(await store(connectionId, { password: 'x' })).toMatchObject({ ok: false, problem: { status: 409 } });
    expect(await complete(connectionId)).toMatchObject({ ok: false, problem: { status: 409 } });
  });

  test('keeps credentials under its data key, and nowhere else', async () => {
    const connectionId = await connect('sandbox-delegated');
    dataOf(await store(connectionId, { password: 'canary-9431' }));
    const events = await eventsOf(connectionId);
    expect(JSON.stringify(events)).not.toContain('canary-9431');
    const stored = events.find((event) => event.type === 'CredentialsStored');
    const cipher = Buffer.from(String(stored?.data.ciphers.password), 'base64');
    const { store: events2, dataKeys } = elsewhere(service);
    const plain = await dataKeys.decrypt(connectionId, cipher, 'credential password');
    expect(plain?.toString()).toBe('canary-9431');
    await events2.close();
  });

  test('counts all that is given, though it is given at once', async () => {
    const connectionId = await connect('sandbox-delegated');
    const given = [{ password: 'a' }, { bankUsername: 'b' }, { bankCustomerId: 'c' }];
    (await Promise.all(given.map((each) => store(connectionId, each)))).forEach(dataOf);
    const { store: events, aggregates, dataKeys } = elsewhere(service);
    const { state: known } = await aggregates.connectionNow(connectionId);
    if (!isKnown(known)) throw new Error('the connection is not there');
    expect(await credentialsOf(dataKeys, connectionId, known.login)).toEqual(Object.assign({}, ...given));
    await events.close();
  });

  test('takes neither credentials that were sealed for another, nor the word of another', async () => {
    const [connectionId, other] = [await connect('sandbox-delegated'), await connect('sandbox-delegated')];
    await expect(store(connectionId, { password: 'x' }, other)).rejects.toThrow('failed');
    const others = { ...scope, organization: 'other' as never };
    for (const reply of [await complete(connectionId, others), await store(connectionId, {}, connectionId, others)]) {
      expect(reply).toMatchObject({ ok: false, problem: { status: 404 } });
    }
    expect(await changesOf(connectionId)).toEqual(['ConnectionDrafted']);
  });

  test('without credentials comes back by itself once the bank lets it in again', async () => {
    const connectionId = await connect('sandbox-instant');
    await idle(connectionId);
    await scenario(connectionId, 'login-lapses');
    dataOf(await sync(connectionId));
    expect(await idle(connectionId)).toMatchObject({ status: 'reauthRequired', errorCode: 'login_refused' });
    await scenario(connectionId, 'login-restored');
    dataOf(await sync(connectionId));
    expect(await idle(connectionId)).toMatchObject({ status: 'active', errorCode: null });
  });
});
