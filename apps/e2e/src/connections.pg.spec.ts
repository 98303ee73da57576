import { describeWithPostgres, discardSystem, startSystem, withRoom, type System } from '@causeway/testing';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { canaries, databaseUrlOf, tracesOf } from './canaries.ts';
import { clientOf, connected, happen, insist, until, type Answer, type Client, type Json } from './client.ts';
import { openPool } from '@causeway/postgres';

const run = promisify(execFile);

describeWithPostgres('the life of a connection', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  const heard: Json[] = [];
  const output: Buffer[] = [];
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      heard.push(JSON.parse(Buffer.concat(chunks).toString()) as Json);
      response.end();
    });
  });
  let system: System;
  let client: Client;

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const env = {
      CAUSEWAY_WEBHOOK_ALLOWED_HOSTS: host,
      CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0',
      CAUSEWAY_SYNC_INTERVAL_SECONDS: '2',
      CAUSEWAY_REQUESTS_PER_SECOND: '0',
      CAUSEWAY_LOG_LEVEL: 'debug',
    };
    system = await startSystem({ dataDir, env, onOutput: (said) => void output.push(said) });
    client = clientOf(system);
    const events = ['connection.status_changed'];
    expect((await client.send('POST', '/v1/webhooks', { url: `http://${host}/hook`, events })).status).toBe(201);
  });
  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
    receiver.close();
  });

  const newEntity = async (): Promise<string> => {
    const { body } = await client.send('POST', '/v1/entities', { externalEntityId: randomUUID() });
    return String(body['entityId']);
  };
  const connect = async (where: object, entityId?: string): Promise<Answer> =>
    client.send('POST', '/v1/connections', { entityId: entityId ?? (await newEntity()), ...where });
  const delegated = async (): Promise<string> =>
    String((await connect({ institutionId: 'sandbox-delegated' })).body['id']);
  const complete = (id: string) => client.send('PUT', `/v1/connections/${id}/setupCompletion`);
  const store = (id: string, body: object) => client.send('PUT', `/v1/connections/${id}/credentials`, body);
  const sync = (id: string) => client.send('PUT', `/v1/connections/${id}/sync`);
  const read = async (id: string): Promise<Json> => (await client.get(`/v1/connections/${id}`)).body;
  const becomes = (id: string, status: string) =>
    until(`${id} is ${status}`, async () => (await read(id))['status'] === status);
  const told = (id: string) =>
    heard
      .map(({ data }) => data as Json)
      .filter(({ connectionId }) => connectionId === id)
      .map(({ previousStatus, status }) => [previousStatus, status].join(' '));
  const causeway = async (...words: string[]): Promise<Json> => {
    const env = { ...process.env, CAUSEWAY_DATA_DIR: dataDir, CAUSEWAY_OPERATOR: 'ada' };
    const { stdout } = await run(process.execPath, ['tools/causeway.mjs', 'connections', ...words, '--json'], { env });
    return JSON.parse(stdout) as Json;
  };

  test('with a delegated user, from its draft to its first sync within two seconds, and every status is told', async () => {
    const created = await connect({ institutionId: 'sandbox-delegated' });
    expect(created.status).toBe(201);
    const id = String(created.body['id']);
    expect(created.body).toMatchObject({
      kind: 'setup',
      status: 'draft',
      setup: {
        ...{ status: 'awaitingDelegatedUserCreation', actionRequiredBy: 'endUser', nextAction: 'createDelegatedUser' },
        instructions: { emailProvisioningStatus: 'ready', phoneNumberProvisioningStatus: 'ready' },
        credentialsPresent: false,
      },
    });
    expect((await sync(id)).status).toBe(409);
    const since = Date.now();
    const completed = await complete(id);
    expect([completed.status, completed.body['kind'], completed.body['status']]).toEqual([
      ...[200, 'setup', 'pendingActivation'],
    ]);
    expect((await complete(id)).status).toBe(409);
    await becomes(id, 'active');
    expect(Date.now() - since).toBeLessThan(withRoom(2000));
    expect(await read(id)).toMatchObject({ kind: 'ready', status: 'active' });
    await until('it has accounts', async () => (await client.all(`/v1/accounts?connectionId=${id}`)).length === 5);
    await until('both are told', async () => told(id).length === 2);
    expect(told(id)).toEqual(['draft pendingActivation', 'pendingActivation active']);
  });

  test.each([
    ['reject-login', 'reauthRequired', 'awaitingCredentials', 'login_refused'],
    ['no-rights', 'invalidConfig', 'failed', 'insufficient_rights'],
  ])('as %s is %s; with other credentials it is active', async (bankUsername, status, setupStatus, errorCode) => {
    const id = await delegated();
    const stored = await store(id, { bankUsername, password: 'correct horse', bankCustomerId: '77' });
    expect(stored.body).toMatchObject({ setup: { credentialsPresent: true, nextAction: 'completeSetup' } });
    await complete(id);
    await becomes(id, status);
    expect(await read(id)).toMatchObject({ kind: 'setup', errorCode, setup: { status: setupStatus } });
    expect((await store(id, { bankUsername: 'ada' })).body).toMatchObject({ status: 'pendingActivation' });
    await becomes(id, 'active');
    expect((await read(id))['errorCode']).toBeUndefined();
  });

  test('what it logs in with is in no table, file, topic, log or answer', async () => {
    const words = canaries();
    const id = await delegated();
    const answers: Json[] = [];
    const storeWords = async (): Promise<void> => {
      const credentials = ['bankUsername', 'bankCustomerId', 'password'].map((name) => [name, words.word(name)]);
      answers.push((await store(id, Object.fromEntries(credentials) as object)).body);
    };
    await storeWords();
    answers.push((await complete(id)).body);
    await becomes(id, 'active');
    await storeWords();
    answers.push(await read(id), (await sync(id)).body);
    answers.push((await store(id, { password: words.word('refused'), pin: words.word('pin') })).body);
    await until('the sync ends', async () => (await read(id))['syncStatus'] === 'idle');
    expect(words.in(Buffer.from(JSON.stringify([answers, heard])))).toEqual([]);
    expect(await tracesOf({ dataDir, output }, words)).toEqual([]);
  });

  test('credentials are strings or null, and nothing else', async () => {
    const id = await delegated();
    for (const body of [{ password: 7 }, { password: '' }, { pin: '1234' }, { bankUsername: 'x'.repeat(513) }]) {
      const { status, body: refused } = await store(id, body);
      expect([status, refused['type']]).toEqual([400, 'invalid_request']);
    }
    expect((await store(id, { password: null })).body).toMatchObject({ setup: { credentialsPresent: false } });
  });

  test('verifies a bank that is away until it is back', async () => {
    const id = await delegated();
    await happen(system, id, 'down', { seconds: 3 });
    await complete(id);
    await until('it has asked', async () => (await read(id))['status'] === 'pendingActivation');
    await becomes(id, 'active');
    expect(told(id).length).toBeLessThanOrEqual(2);
  });

  test('whose login lapses comes back by itself, since it has no credentials to be given anew', async () => {
    const id = await connected(client, 'sandbox-instant', await newEntity());
    await happen(system, id, 'login-lapses');
    await becomes(id, 'reauthRequired');
    await happen(system, id, 'login-restored');
    await becomes(id, 'active');
    await until('both are told', async () => told(id).length === 2);
    expect(told(id)).toEqual(['active reauthRequired', 'reauthRequired active']);
  });

  test('is errored after five failures in a row, and active after a success', async () => {
    const id = await connected(client, 'sandbox-instant', await newEntity());
    await happen(system, id, 'down', { seconds: 3600 });
    for (let failure = 1; failure <= 5; failure++) {
      expect(await read(id)).toMatchObject({ status: 'active' });
      expect((await sync(id)).status).toBe(202);
      await until('the sync ends', async () => (await read(id))['syncStatus'] === 'idle');
    }
    await becomes(id, 'errored');
    expect(await read(id)).toMatchObject({ errorCode: 'unavailable' });
    const advanced = await fetch(`${system.sandboxBankUrl}/control/clock/advance`, {
      method: 'POST',
      body: JSON.stringify({ seconds: 3601 }),
    });
    expect(advanced.status).toBe(200);
    await until('a sync is asked for', async () => [202, 409].includes((await sync(id)).status));
    await becomes(id, 'active');
  });

  test('is paused and resumed by an operator, who gives a reason', async () => {
    const id = await connected(client, 'sandbox-instant', await newEntity());
    const paused = await causeway('pause', id, '--reason', 'the bank moves');
    expect(paused).toEqual({ connectionId: id, status: 'paused' });
    expect((await sync(id)).status).toBe(409);
    await expect(causeway('pause', id, '--reason', 'again')).rejects.toThrow(`connection ${id} is paused`);
    await expect(causeway('resume', randomUUID(), '--reason', 'none')).rejects.toThrow('there is no connection');
    expect(await causeway('resume', id, '--reason', 'it has moved')).toMatchObject({ status: 'active' });
    const pool = openPool({ url: databaseUrlOf(dataDir), applicationName: 'e2e', connectionsMax: 1 });
    const { rows } = await pool.query<{ status: string }>(
      'SELECT status FROM read_models.connections_v1 WHERE id = $1',
      [id],
    );
    await pool.end();
    expect(rows).toEqual([{ status: 'active' }]);
    const { lastSyncedAt } = await read(id);
    await until('it syncs by itself again', async () => (await read(id))['lastSyncedAt'] !== lastSyncedAt);
  });

  test('is revoked for good once the bank has withdrawn the access', async () => {
    const id = await connected(client, 'sandbox-instant', await newEntity());
    await happen(system, id, 'revoke-access');
    await becomes(id, 'revoked');
    expect(await read(id)).toMatchObject({ kind: 'ready', errorCode: 'access_revoked' });
    for (const { status } of [await sync(id), await complete(id), await store(id, { password: 'x' })]) {
      expect(status).toBe(409);
    }
  });

  test('to a bank that nothing of ours serves waits for us, and is the same by every spelling of its portal', async () => {
    const entityId = await newEntity();
    const first = await connect({ portalUrl: 'https://Portal.Example:443/login/#top' }, entityId);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      ...{ kind: 'setup', status: 'draft', portalUrl: 'https://portal.example/login' },
      setup: {
        ...{ status: 'provisioning', actionRequiredBy: 'service', nextAction: 'none' },
        instructions: { emailProvisioningStatus: 'pending' },
      },
    });
    const id = String(first.body['id']);
    const again = await connect({ portalUrl: 'https://portal.example/login' }, entityId);
    expect([again.status, again.body['id']]).toEqual([200, id]);
    expect((await complete(id)).status).toBe(409);
    const soon = await connect({ institutionId: 'sandbox-soon' }, entityId);
    expect(soon.body).toMatchObject({ status: 'draft', setup: { status: 'provisioning' } });
    const byBoth = { institutionId: 'sandbox-soon', portalUrl: 'https://soon.sandbox-bank.example/login' };
    expect((await connect(byBoth, entityId)).body['id']).toBe(soon.body['id']);
  });

  test('is one, however many ask for it at once', async () => {
    const entityId = await newEntity();
    const asked = Array.from({ length: 100 }, () =>
      insist(() => connect({ institutionId: 'sandbox-delegated' }, entityId)),
    );
    const answers = await Promise.all(asked);
    expect(new Set(answers.map(({ body }) => body['id'])).size).toBe(1);
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100 - made.length);
    expect(await client.all(`/v1/connections?entityId=${entityId}`)).toHaveLength(1);
  });
});
