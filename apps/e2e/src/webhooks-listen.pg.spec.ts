import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { clientOf, until, type Client, type Json } from './client.ts';

type Got = Readonly<{ headers: Readonly<Record<string, string>>; body: string }>;
type Listening = Readonly<{ child: ChildProcess; lines: readonly Json[] }>;

describeWithPostgres('causeway webhooks listen', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  const got: Got[] = [];
  let status = 200;
  const app = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      got.push({ headers: request.headers as Got['headers'], body });
      response.writeHead(status).end();
    });
  });
  let system: System;
  let client: Client;
  const children: ChildProcess[] = [];
  const restart = async (): Promise<void> => {
    system = await startSystem({ dataDir });
    client = clientOf(system);
  };
  beforeAll(async () => {
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
    await restart();
  });
  beforeEach(() => {
    got.length = 0;
    status = 200;
  });
  afterAll(async () => {
    children.forEach((child) => child.kill('SIGKILL'));
    await system.stop();
    app.close();
    discardSystem(dataDir);
  });

  const forwardTo = (): string => `http://127.0.0.1:${(app.address() as AddressInfo).port}/hooks`;
  const listen = async (): Promise<Listening> => {
    const words = ['webhooks', 'listen', '--forward-to', forwardTo(), '--json'];
    const env = { ...process.env, CAUSEWAY_DATA_DIR: dataDir };
    const child = spawn(process.execPath, ['tools/causeway.mjs', ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    const lines: Json[] = [];
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const [...whole] = (said + chunk.toString()).split('\n');
      said = whole.pop() ?? '';
      lines.push(...whole.map((line) => JSON.parse(line) as Json));
    });
    await until('it listens', async () => lines.length > 0);
    return { child, lines };
  };
  const idOf = ({ lines }: Listening): string => String(lines[0]?.['webhookId']);
  const secretOf = ({ lines }: Listening): string => String(lines[0]?.['secret']);
  const testEvent = async (webhookId: string): Promise<unknown> =>
    (await client.send('POST', `/v1/webhooks/${webhookId}/test`)).body['eventId'];
  const ended = async ({ child }: Listening, signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return child.exitCode;
  };

  test('forwards what is sent as it was signed, prints it, and leaves nothing behind', async () => {
    const listening = await listen();
    const eventId = await testEvent(idOf(listening));
    await until('it is forwarded', async () => got.length === 1);
    const [{ headers, body } = { headers: {}, body: '' }] = got;
    expect(new Webhook(secretOf(listening)).verify(body, headers)).toMatchObject({ id: eventId, type: 'test' });
    expect(headers).toMatchObject({ 'service-event-id': eventId, 'service-attempt': '1' });
    await until('it is printed', async () => listening.lines.length === 2);
    expect(listening.lines[1]).toMatchObject({ id: eventId, type: 'test', status: 200 });
    expect(await ended(listening, 'SIGINT')).toBe(0);
    expect(await client.all('/v1/webhooks')).toEqual([]);
  });

  test('what it missed while it was killed comes once it listens again, under a secret that it shows', async () => {
    const first = await listen();
    const id = idOf(first);
    await ended(first, 'SIGKILL');
    const eventId = await testEvent(id);
    const tried = async () => (await client.all(`/v1/webhooks/${id}/deliveries`)).flatMap(({ attempts }) => attempts);
    await until('it was tried in vain', async () => (await tried()).length > 0);
    const again = await listen();
    expect(idOf(again)).toBe(id);
    await until('it is forwarded', async () => got.length > 0);
    expect(got[0]?.headers['service-event-id']).toBe(eventId);
    const { headers, body } = got[0] as Got;
    expect(new Webhook(secretOf(again)).verify(body, headers)).toMatchObject({ id: eventId });
    await ended(again, 'SIGTERM');
  });

  test('the system stops and starts again, and it goes on', async () => {
    const listening = await listen();
    await system.stop();
    await restart();
    const eventId = await testEvent(idOf(listening));
    await until('it is forwarded', async () => got.some(({ headers }) => headers['service-event-id'] === eventId));
    expect(await ended(listening, 'SIGINT')).toBe(0);
  });

  test('of wrong usage it says what is wrong', async () => {
    const run = (...words: readonly string[]) =>
      spawn(process.execPath, ['tools/causeway.mjs', 'webhooks', 'listen', ...words], {
        env: { ...process.env, CAUSEWAY_DATA_DIR: dataDir },
        stdio: 'ignore',
      });
    const [missing] = (await once(run(), 'exit')) as [number];
    const [malformed] = (await once(run('--forward-to', 'here'), 'exit')) as [number];
    expect([missing, malformed]).toEqual([2, 2]);
  });
});
