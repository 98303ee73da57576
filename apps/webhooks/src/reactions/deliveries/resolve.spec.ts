import { createSocket, type Socket } from 'node:dgram';
import { createServer, type Server } from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';
import ipaddr from 'ipaddr.js';
import { reachRefusal } from '../../commands/reachable.ts';
import { allowedHosts } from './address.ts';
import { resolver } from './resolve.ts';
import { openSender, type Sender } from './send.ts';

const none = allowedHosts([]);
const typeA = 1;
const typeCname = 5;
const typeAaaa = 28;

/** A record of a name server: an address, or the name that this one stands for. */
type Records = readonly string[];

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.of(0),
  ]);

const record = (owner: Buffer, type: number, data: Buffer): Buffer => {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
};

/** The answer to a query, every record with a time to live of 0: names on the way first, then what is there at the end. */
const answerTo = (query: Buffer, records: Records): Buffer => {
  const endOfName = query.indexOf(0, 12);
  const asked = query.readUInt16BE(endOfName + 1);
  const question = query.subarray(12, endOfName + 5);
  let owner = question.subarray(0, -4);
  const answers: Buffer[] = [];
  for (const text of records) {
    if (!ipaddr.isValid(text)) {
      answers.push(record(owner, typeCname, nameBytes(text)));
      owner = nameBytes(text);
    } else if (asked === (isIPv6(text) ? typeAaaa : typeA)) {
      answers.push(record(owner, asked, Buffer.from(ipaddr.parse(text).toByteArray())));
    }
  }
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(answers.length, 6);
  header.fill(0, 8);
  return Buffer.concat([header, question, ...answers]);
};

describe('a name server that the receiver owns', () => {
  let records: Records = [];
  let connections = 0;
  const nameServer: Socket = createSocket('udp4', (query, from) => {
    nameServer.send(answerTo(query, records), from.port, from.address);
  });
  const sentinel: Server = createServer((_, response) => response.end()).on('connection', () => (connections += 1));
  let sender: Sender;
  let resolve: ReturnType<typeof resolver>;
  let url = '';

  beforeAll(async () => {
    await new Promise<void>((done) => nameServer.bind(0, '127.0.0.1', done));
    await new Promise<void>((done) => sentinel.listen(0, '127.0.0.1', done));
    resolve = resolver([`127.0.0.1:${nameServer.address().port}`]);
    sender = openSender({ allowed: none, resolve, timeoutMs: 2000 });
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
