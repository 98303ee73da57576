import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clientOf, connected, happen, until, type Client, type Json } from './client.ts';

type Effect = Readonly<{ id: string; kind: string; name: string; at: string; effects: readonly Effect[] }>;
const run = promisify(execFile);

describeWithPostgres('the trail of a request', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  const heard: string[] = [];
  const receiver = createServer((request, response) => {
    heard.push(String(request.headers['service-event-id']));
    request.resume().on('end', () => response.end());
  });
  let system: System;
  let client: Client;
  let connectionId: string;
  let webhook: Json;

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const env = { CAUSEWAY_WEBHOOK_ALLOWED_HOSTS: host, CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0' };
    system = await startSystem({ dataDir, env });
    client = clientOf(system);
    connectionId = await connected(client, 'sandbox-instant');
    const events = ['transactions.sync_available', 'test'];
    webhook = (await client.send('POST', '/v1/webhooks', { url: `http://${host}/`, events })).body['webhook'] as Json;
  }, 120_000);
  afterAll(async () => {
    await system.stop();
    receiver.close();
    discardSystem(dataDir);
  });

  const trace = async (id: string): Promise<Effect> => {
    const { stdout } = await run(process.execPath, ['tools/causeway.mjs', 'trace', id, '--json'], {
      env: { ...process.env, CAUSEWAY_DATA_DIR: dataDir },
    });
    return JSON.parse(stdout) as Effect;
  };
  /** The names on the way down to the first effect of a kind and a name. */
  const wayTo = (kind: string, name: RegExp, { effects, ...one }: Effect): readonly string[] | undefined => {
    const here = `${one.kind} ${one.name}`.trim();
    if (one.kind === kind && name.test(one.name)) return [here];
    for (const effect of effects) {
      const way = wayTo(kind, name, effect);
      if (way !== undefined) return [here, ...way];
    }
    return undefined;
  };
  const allOf = (one: Effect): readonly Effect[] => [one, ...one.effects.flatMap(allOf)];
  const asked = (id: string) => ({ 'X-Request-Id': id });
  const told = async (before: number): Promise<string> => {
    await until('the webhook is told', async () => heard.length > before);
    return String(heard.at(-1));
  };

  test('goes from a sync over the bank and the ledger to a delivery, and from any of them to the same', async () => {
    await happen(system, connectionId, 'new-transactions', { count: 2 });
    const before = heard.length;
    const sync = () => client.send('PUT', `/v1/connections/${connectionId}/sync`, undefined, asked('sync/of-today'));
    await until('a sync is accepted', async () => (await sync()).status === 202);
    const eventId = await told(before);
    const tree = await trace(eventId);
    expect([tree.id, tree.kind]).toEqual(['sync/of-today', 'request']);
    expect(wayTo('attempt', /answered 200/, tree)).toEqual([
      ...['request', 'command connections', 'event SyncRequested', 'bankCall fetch', 'event SyncFetched'],
      ...['message connections → ledger', 'event StatementBooked', 'message ledger → connections'],
      ...['event SyncCompleted', `delivery transactions.sync_available to ${String(webhook['id'])}`],
      'attempt answered 200',
    ]);
    const recorded = allOf(tree).filter(({ name }) => name.startsWith('TransactionRecorded'));
    expect(recorded.length).toBeGreaterThan(0);
    const [event] = recorded as [Effect];
    for (const id of ['sync/of-today', event.id]) expect(await trace(id)).toEqual(tree);
    const rows = await client.all('/v1/transactions?limit=500');
    const said = rows.flatMap((row) => [row.id, String(row['description'])]);
    expect(said.filter((text) => JSON.stringify(tree).includes(text))).toEqual([]);
  }, 60_000);

  test('goes from a transfer to the payment that the bank was asked for', async () => {
    const [from, to] = (await client.all('/v1/accounts?currency=USD')).map(({ id }) => id);
    const amount = { currency: 'USD', type: 'money', value: '1.00' };
    const order = { type: 'internal', amount, sourceAccountId: from, destination: { type: 'account', accountId: to } };
    const { body } = await client.send('POST', '/v1/transfers', order, asked('pay-1'));
    const id = String(body['id']);
    await until(
      'it is completed',
      async () => (await client.get(`/v1/transfers/${id}`)).body['status'] === 'completed',
    );
    const tree = await trace(id);
    expect(tree).toMatchObject({ id: 'pay-1', kind: 'request' });
    expect(wayTo('bankCall', /pay/, tree)).toEqual([
      ...['request', 'command transfers', 'event TransferQueued', 'event TransferExecutionStarted', 'bankCall pay'],
    ]);
    expect(allOf(tree).find(({ kind }) => kind === 'bankCall')?.id).toBe(id);
    expect(await trace('pay-1')).toEqual(tree);
  }, 60_000);

  test('goes from a test of a webhook to its delivery', async () => {
    const before = heard.length;
    await client.send('POST', `/v1/webhooks/${String(webhook['id'])}/test`, undefined, asked('test-1'));
    const tree = await trace(await told(before));
    expect(wayTo('delivery', /^test to/, tree)?.slice(0, 3)).toEqual([
      ...['request', 'command webhooks', 'event WebhookTestQueued'],
    ]);
  }, 60_000);

  test('of what is not known is status 1', async () => {
    await expect(trace('never-asked')).rejects.toThrow('nothing is stored that never-asked led to');
  });
});
