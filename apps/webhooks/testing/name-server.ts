import ipaddr from 'ipaddr.js';
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';

const typeA = 1;
const typeCname = 5;
const typeAaaa = 28;

/** What a name server has of a name: addresses, and names that this one stands for. */
export type Records = readonly string[];

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

/** One that a receiver owns: it has these records of every name. `address`: where it is asked. */
export const startNameServer = async (records: () => Records) => {
  const socket = createSocket('udp4', (query, from) => {
    socket.send(answerTo(query, records()), from.port, from.address);
  });
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done));
  return { address: `127.0.0.1:${socket.address().port}`, close: () => void socket.close() };
};
