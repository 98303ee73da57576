import { services } from '@causeway/settings';
import { kafkaSettings } from '@causeway/messaging-kafka';
import { eavesdropper, isTaken, type Captured } from '@causeway/messaging-kafka/testing';
import { secretsIn, type SecretRing } from '@causeway/settings';
import { describeWithOwnKafka, discardSystem, startSystem, type System } from '@causeway/testing';
import { execFile } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { canaries, placesOf, readModels, tracesOf } from './canaries.ts';
import { startCanaryBank, type CanaryBank } from './canary-bank.ts';
import { filesOf } from './canary-files.ts';
import { clientOf, connected, until, type Client, type Json } from './client.ts';
import { changed, rearranged } from './forged.ts';

const run = promisify(execFile);

const partsOf = ({ key, value, headers }: Captured): readonly Buffer[] =>
  [key, value, ...Object.entries(headers).flat()].map((part) => Buffer.from((part ?? '') as string));

const printOf = (record: Captured): string => {
  const hash = createHash('sha256').update(record.topic);
  for (const part of partsOf(record)) hash.update(`${part.length} `).update(part);
  return hash.digest('hex');
};

const isOfGateway = (headers: Captured['headers']): boolean => String(headers['request-id']) !== 'ping';

describeWithOwnKafka('somebody who reads the bus and may write to it', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  const words = canaries();
  const output: Buffer[] = [];
  const heard: Json[] = [];
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      heard.push(JSON.parse(Buffer.concat(chunks).toString()) as Json);
      response.end();
    });
  });
  const captured = new Map<string, Captured>();
  /** And sends every message that comes once more, at once. */
  let isListening = true;
  let eavesdropping: Awaited<ReturnType<typeof eavesdropper>>;
  let bank: CanaryBank;
  let system: System;
  let client: Client;
  let secrets: SecretRing;

  const read = (name: string): Record<string, string> =>
    JSON.parse(readFileSync(join(dataDir, name), 'utf8')) as Record<string, string>;

  beforeAll(async () => {
    bank = await startCanaryBank(words);
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const env = {
      CAUSEWAY_SANDBOX_BANK_URL: bank.url,
      CAUSEWAY_LOG_LEVEL: 'debug',
      CAUSEWAY_REQUESTS_PER_SECOND: '0',
      CAUSEWAY_SYNC_INTERVAL_SECONDS: '0',
      CAUSEWAY_WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    };
    system = await startSystem({ dataDir, env, distributed: true, onOutput: (said) => void output.push(said) });
    secrets = secretsIn(read('secrets.json'), 'CAUSEWAY_BUS_SECRET');
    const connection = kafkaSettings({ CAUSEWAY_KAFKA_BROKERS: read('runtime.json')['kafkaBrokers'] });
    eavesdropping = await eavesdropper(connection, (record) => {
      const print = printOf(record);
      if (!isListening || captured.has(print)) return;
      captured.set(print, record);
      void eavesdropping.send([record]);
    });
  });
  afterAll(async () => {
    await eavesdropping.close();
    await system.stop();
    discardSystem(dataDir);
    receiver.close();
    bank.close();
  });

  const newKey = async (): Promise<string> => {
    const words = ['keys', 'create', '--organization', 'demo', '--environment', 'test', '--scope', 'all', '--json'];
    const env = { ...process.env, CAUSEWAY_DATA_DIR: dataDir };
    const { stdout } = await run(process.execPath, ['tools/causeway.mjs', ...words], { env });
    return (JSON.parse(stdout) as { key: string }).key;
  };

  const lists = ['entities', 'connections', 'accounts', 'transactions', 'balances', 'transfers', 'webhooks'];
  /** All that a client, a bank and a receiver can see. */
  const seen = async (cursor: string) => ({
    lists: await Promise.all(lists.map((list) => client.all(`/v1/${list}`))),
    feed: (await client.get(`/v1/transactions/sync?cursor=${encodeURIComponent(cursor)}`)).body['events'],
    payments: [...bank.payments],
    heard: [...heard],
  });

  let before: Awaited<ReturnType<typeof seen>>;
  let cursor: string;

  test('finds nothing of banks, keys and secrets there, nor on any disk, but in read models', async () => {
    const key = await newKey();
    words.add('api key', key.split('_').at(-1) ?? '');
    client = clientOf({ ...system, testKey: key });
    const entity = await client.send('POST', '/v1/entities', { externalEntityId: 'e-1', name: 'One' });
    expect(entity.status).toBe(201);
    const files = await connected(client, 'sandbox-files', String(entity.body['entityId']));
    const api = await connected(client, 'sandbox-instant');
    const delegated = await client.send('POST', '/v1/connections', { institutionId: 'sandbox-delegated' });
    const names = ['bankUsername', 'bankCustomerId', 'password'];
    const credentials = Object.fromEntries(names.map((name) => [name, words.word(name)]));
    const put = await client.send('PUT', `/v1/connections/${String(delegated.body['id'])}/credentials`, credentials);
    expect(put.status).toBe(200);
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    // Clocks may differ, so a webhook also hears of what came up to 2 s before it: after this pause, of none of it.
    await sleep(2000);
    const events = ['connection.status_changed', 'transactions.sync_available', 'test'];
    const hooks: string[] = [];
    for (const path of ['kept', 'deleted']) {
      const { status, body } = await client.send('POST', '/v1/webhooks', { url: `${url}/${path}`, events });
      expect(status).toBe(201);
      const { id, secret } = body['webhook'] as { id: string; secret: string };
      words.add('webhook secret', secret.replace('whsec_', '').replace(/=+$/, ''));
      hooks.push(id);
    }
    expect((await client.send('POST', `/v1/webhooks/${hooks[0]}/test`)).status).toBe(202);
    expect((await client.send('DELETE', `/v1/webhooks/${hooks[1]}`)).status).toBe(204);
    for (const text of filesOf(words))
      writeFileSync(join(system.fileDropDir, files, 'inbox', words.word('name of a file')), text);
    bank.book();
    for (const id of [files, api]) {
      await until(
        'a sync is accepted',
        async () => (await client.send('PUT', `/v1/connections/${id}/sync`)).status === 202,
      );
      await until('it ends', async () => (await client.get(`/v1/connections/${id}`)).body['syncStatus'] === 'idle');
    }
    const [from, to] = (await client.all(`/v1/accounts?connectionId=${api}`)).map((account) => account.id);
    const amount = { currency: 'USD', type: 'money', value: '1.00' };
    const order = { type: 'internal', amount, sourceAccountId: from, destination: { type: 'account', accountId: to } };
    const idempotent = { 'idempotency-key': words.word('idempotency key') };
    expect((await client.send('POST', '/v1/transfers', order, idempotent)).status).toBe(202);
    const accountNumber = words.add('account of a payee', words.word('account of a payee, as given').toUpperCase());
    const details = { accountNumber: accountNumber.toLowerCase(), swiftBic: 'NWBKGB2L' };
    const payee = { scheme: 'swift', countryCode: 'GB', currency: 'USD', details };
    const destination = { type: 'external', name: 'Acme Supplies', paymentIdentifier: payee };
    const external = { ...order, type: 'external', transferType: 'swift', destination };
    expect((await client.send('POST', '/v1/transfers', external)).status).toBe(202);
    await until('both are paid', async () =>
      (await client.all('/v1/transfers')).every(({ status }) => status === 'completed'),
    );
    for (const list of lists) {
      const [first] = await client.all(`/v1/${list}`);
      if (list !== 'balances')
        expect((await client.get(`/v1/${list}/${String(first?.id ?? first?.['entityId'])}`)).status).toBe(200);
    }
    cursor = String((await client.get('/v1/transactions/sync')).body['nextCursor']);
    await until('receivers have heard', async () => heard.length >= 2);
    await sleep(1000);

    const onBus = [...captured.values()].flatMap((record) =>
      words.in(Buffer.concat(partsOf(record))).map((field) => `${record.topic}: ${field}`),
    );
    expect([...new Set(onBus)]).toEqual([]);
    const traces = await tracesOf({ dataDir, output }, words);
    expect(placesOf(traces).filter((place) => !place.startsWith('file-drop/'))).toEqual(readModels);
  }, 300_000);

  /** What each service has passed over, by its own count. */
  const passedOver = async (): Promise<number> => {
    const counts = services.map(async (service) => {
      const log = readFileSync(join(dataDir, 'logs', `${service}.log`), 'utf8');
      const port = Array.from(log.matchAll(/"healthPort":(\d+)/g), ([, found]) => found).at(-1);
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const lines = metrics.match(/^causeway_forged_messages_total\{.*\} (\d+)$/gm) ?? [];
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    });
    return (await Promise.all(counts)).reduce((a, b) => a + b);
  };

  test('can alter no byte of a message, nor send it elsewhere: all that is altered is passed over, and counted', async () => {
    isListening = false;
    before = await seen(cursor);
    const forged: Captured[] = [];
    for (const record of captured.values()) {
      expect(isTaken(secrets, record)).toBe(true);
      const [byByte, byParts] = [changed(record), rearranged(record, eavesdropping.topics)];
      expect([...byByte, ...byParts].filter((other) => isTaken(secrets, other))).toEqual([]);
      forged.push(...byParts, byByte[randomInt(byByte.length)] as Captured);
    }
    // Of replies each process looks at its own, and the dead letters are for operators.
    const counting = forged.filter(({ topic }) => !/replies|dead-letters/.test(topic));
    const answers = [...captured.values()].filter(
      ({ topic, headers }) => /replies/.test(topic) && isOfGateway(headers),
    );
    await eavesdropping.send([...counting, ...answers.map((reply) => ({ ...reply, value: Buffer.from('{}') }))]);
    // Once by each service that reads the topic: what the ledger tells, two do.
    const twice = counting.filter(({ topic }) => topic.endsWith('ledger.events'));
    const passed = counting.length + twice.length + answers.length;
    await until('all are counted', async () => (await passedOver()) >= passed);
    expect(await passedOver()).toBe(passed);
    expect(await seen(cursor)).toEqual(before);
  });

  test('changes nothing by sending a message again, at once or later', async () => {
    expect(before.lists.map(({ length }) => length)).toEqual([2, 3, 5, 11, 4, 2, 1]);
    expect(before.payments).toHaveLength(2);
    expect(new Set(before.heard.map(({ id }) => id)).size).toBe(before.heard.length);
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/late`;
    // Commands are not started any more by then, and what was told is older than the webhook.
    await sleep(10_000);
    const events = ['connection.status_changed', 'transactions.sync_available'];
    expect((await client.send('POST', '/v1/webhooks', { url, events })).status).toBe(201);
    const now = await seen(cursor);
    const counted = await passedOver();
    await eavesdropping.send([...captured.values()]);
    await sleep(5000);
    expect(await seen(cursor)).toEqual(now);
    expect(await passedOver()).toBe(counted);
  });
});
