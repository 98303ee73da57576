import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, connected, happen, synced, truthOf, until, type Answer, type Client, type Json } from './client.ts';

type Delivery = Readonly<{ headers: IncomingHttpHeaders; raw: string; body: Json }>;

const isSigned = ({ headers, raw }: Delivery, secret: string): boolean => {
  const [, time, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['service-signature'])) ?? [];
  const expected = createHmac('sha256', secret).update(`${time}.${raw}`).digest();
  return hex !== undefined && timingSafeEqual(Buffer.from(hex, 'hex'), expected);
};

describeWithPostgres('money that moves and word of it', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  const deliveries: Delivery[] = [];
  let refusals = 0;
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      deliveries.push({ headers: request.headers, raw, body: JSON.parse(raw) as Json });
      response.writeHead(refusals-- > 0 ? 503 : 204).end();
    });
  });
  let system: System;
  let client: Client;
  let id: string;
  let hook: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    hook = `http://${address}/hook`;
    const env = { CAUSEWAY_WEBHOOK_ALLOWED_HOSTS: address, CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0' };
    system = await startSystem({ dataDir, env });
    client = clientOf(system);
    id = await connected(client, 'sandbox-instant');
  });

  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
    receiver.close();
  });

  test('a webhook is told, signed, of a sync that changed something, of no other, and again when it was refused', async () => {
    const events = ['transactions.sync_available', 'test'];
    const { status, body } = await client.send('POST', '/v1/webhooks', { url: hook, events });
    expect(status).toBe(201);
    const webhook = body['webhook'] as { id: string; secret: string };
    const shown = await client.get(`/v1/webhooks/${webhook.id}`);
    expect(shown.body['secret']).toBe(`whsec_…${webhook.secret.slice(-4)}`);

    await synced(client, id);
    const test = await client.send('POST', `/v1/webhooks/${webhook.id}/test`);
    expect(test.status).toBe(202);
    await until('the test event comes', async () => deliveries.length > 0);
    expect(deliveries.map(({ body }) => [body['type'], body['id']])).toEqual([['test', test.body['eventId']]]);

    refusals = 1;
    await happen(system, id, 'new-transactions', { count: 2 });
    await synced(client, id);
    await until('the refused delivery comes again', async () => deliveries.length === 3);
    const [, first, second] = deliveries as [Delivery, Delivery, Delivery];
    expect(first.body['data']).toMatchObject({ connectionId: id, accountId: null });
    expect(second.raw).toBe(first.raw);
    expect([first, second].map(({ headers }) => headers['service-attempt'])).toEqual(['1', '2']);
    expect(deliveries.every((delivery) => isSigned(delivery, webhook.secret))).toBe(true);

    expect((await client.send('DELETE', `/v1/webhooks/${webhook.id}`)).status).toBe(204);
    expect((await client.get(`/v1/webhooks/${webhook.id}`)).status).toBe(404);
  });

  test.each([
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://10.0.0.8/x',
    'https://169.254.169.254/latest',
    'http://example.com/x',
  ])('a webhook to %s is refused, and the url named', async (url) => {
    const { status, body } = await client.send('POST', '/v1/webhooks', { url, events: ['test'] });
    expect([status, body['type']]).toEqual([400, 'invalid_request']);
    expect(JSON.stringify(body['details'])).toContain('"url"');
  });

  const order = async (value: string): Promise<object> => {
    const accounts = await client.all(`/v1/accounts?connectionId=${id}&currency=USD`);
    const of = (type: string) => accounts.find((account) => account['type'] === type)?.id;
    return {
      type: 'internal',
      amount: { currency: 'USD', type: 'money', value },
      sourceAccountId: of('checking'),
      destination: { type: 'account', accountId: of('savings') },
    };
  };
  const pay = (body: object, key: string): Promise<Answer> =>
    client.send('POST', '/v1/transfers', body, { 'idempotency-key': key });
  const outcome = async (transferId: string): Promise<Json> => {
    let transfer: Json = {};
    await until('the transfer has an outcome', async () => {
      transfer = (await client.get(`/v1/transfers/${transferId}`)).body;
      return ['completed', 'failed'].includes(String(transfer['status']));
    });
    return transfer;
  };

  test('twenty calls under one key at once make one transfer and one payment', async () => {
    const body = await order('12.30');
    const answers = await Promise.all(Array.from({ length: 20 }, () => pay(body, 'once')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    const ids = new Set(answers.map((answer) => String(answer.body['id'])));
    expect(ids.size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(19);
    const [transferId] = [...ids] as [string];
    expect(await outcome(transferId)).toMatchObject({ status: 'completed', amount: '12.30', rail: 'internalTransfer' });
    expect((await pay({ ...body, memo: 'another' }, 'once')).status).toBe(409);
    const { payments } = await truthOf(system, id);
    expect(payments.filter(({ reference }) => reference === transferId)).toHaveLength(1);
  });

  test('an answer that is lost is asked for, never sent again', async () => {
    await happen(system, id, 'lose-next-answer');
    const { body } = await pay(await order('3.00'), 'lost');
    expect((await outcome(String(body['id'])))['status']).toBe('completed');
    const { payments } = await truthOf(system, id);
    expect(payments.filter(({ reference }) => reference === body['id'])).toHaveLength(1);
  }, 40_000);

  test('money that is not there is refused before, or fails at the bank when the check is skipped', async () => {
    const body = await order('99999999.00');
    const refused = await pay(body, 'too-much');
    expect([refused.status, refused.body['type']]).toEqual([400, 'preflight_failed']);
    const sent = await pay({ ...body, skipPreflight: true }, 'too-much');
    expect(sent.status).toBe(202);
    expect(await outcome(String(sent.body['id']))).toMatchObject({ status: 'failed' });
  });
});
