import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startNameServer, type Records } from '../../../testing/name-server.ts';
import { reachRefusal } from '../../commands/reachable.ts';
import { allowedHosts } from './address.ts';
import { resolver } from './resolve.ts';
import { openSender, type Sender } from './send.ts';

const none = allowedHosts([]);

describe('a name server that the receiver owns', () => {
  let records: Records = [];
  let connections = 0;
  let nameServer: Awaited<ReturnType<typeof startNameServer>>;
  const sentinel: Server = createServer((_, response) => response.end()).on('connection', () => (connections += 1));
  let sender: Sender;
  let resolve: ReturnType<typeof resolver>;
  let url = '';

  beforeAll(async () => {
    nameServer = await startNameServer(() => records);
    await new Promise<void>((done) => sentinel.listen(0, '127.0.0.1', done));
    resolve = resolver([nameServer.address]);
    sender = openSender({ allowed: none, resolve, timeoutMs: 20_000 });
    url = `https://receiver.example:${(sentinel.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    await sender.close();
    nameServer.close();
    sentinel.close();
  });

  const send = () =>
    sender.send(
      { url, headers: {}, body: '{}' },
      { signal: new AbortController().signal, throwIfLost: () => undefined },
    );

  test.each([
    ['its IPv4 and IPv6 addresses', ['8.8.8.8', '2606:4700::1111'], ['8.8.8.8', '2606:4700::1111']],
    ['what is at the end of a chain of names', ['a.example', 'b.example', '10.0.0.1'], ['10.0.0.1']],
  ])('is asked for %s', async (_what, given, expected) => {
    records = given;
    expect(await resolve('receiver.example')).toEqual(expected);
  });

  test('may say that there is no such name', async () => {
    records = [];
    await expect(resolve('receiver.example')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  test('gains nothing by answering publicly at the registration and privately at the delivery', async () => {
    records = ['8.8.8.8'];
    expect(await reachRefusal({ allowed: none, resolve }, url)).toBeUndefined();
    for (const later of [['127.0.0.1'], ['8.8.8.8', '::1'], ['a.example', '127.0.0.1'], ['::ffff:127.0.0.1']]) {
      records = later;
      expect(await reachRefusal({ allowed: none, resolve }, url)).toBe('must be a public address');
      expect(await send()).toEqual({ kind: 'failed', error: 'address_refused' });
    }
    expect(connections).toBe(0);
  });
});
