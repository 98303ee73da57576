import type { Message } from '@causeway/messaging';
import type { KafkaMessage } from 'kafkajs';
import { inBatches } from './producing.ts';
import { received, recordOf, sizeOf, type Envelope } from './records.ts';

const bareMessage: Message = {
  id: 'm1',
  type: 'ledger.noted.v1',
  key: 'k',
  data: { text: 'é', list: [1, null] },
  correlationId: 'req-1',
  causationId: 'e1',
};
const message: Message = { ...bareMessage, attachment: Buffer.from([0, 255, 10]) };

/** As the client hands on what it has read: all bytes. */
const arrived = ({ key, value, headers }: ReturnType<typeof recordOf>): KafkaMessage =>
  ({
    key: Buffer.from(String(key)),
    value: value === null ? null : Buffer.from(value),
    headers: Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, text]) => [name, Buffer.from(text as Buffer)]),
    ),
  }) as KafkaMessage;

test('a message is read as it was written, with what its record says beside it', () => {
  const envelope: Envelope = {
    requestId: 'r1',
    replyTo: 'p1',
    replyPartition: 3,
    timeLeftMs: 5000,
    sentAt: 1_767_225_600_000,
    letter: 'l1',
    onlyGroup: 'ledger',
    attemptsBefore: 5,
    firstFailedAt: '2026-03-01T10:00:00.000Z',
  };
  expect(received(arrived(recordOf(message, envelope)), 't/0/1')).toEqual({ message, envelope });
  const bare = received(arrived(recordOf(bareMessage)), 't/0/1');
  expect(bare).toEqual({ message: bareMessage, envelope: {} });
  expect(bare.message).not.toHaveProperty('attachment');
});

test('every message of one request is in one trace, below what led to it', () => {
  const traceOf = (m: Message) => String(recordOf(m).headers?.['traceparent']);
  expect(traceOf(message)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  const [one, other] = [traceOf(message), traceOf({ ...message, id: 'm2', causationId: 'e2' })];
  expect(other.slice(0, 36)).toBe(one.slice(0, 36));
  expect(other).not.toBe(one);
});

test.each([
  ['without an id', { value: Buffer.from('{}'), headers: {} }, 'it has no message-id'],
  ['that is no JSON', { value: Buffer.from('{'), headers: { 'message-id': 'm1' } }, 'its value is no JSON object'],
  ['that is empty', { value: null, headers: { 'message-id': 'm1' } }, 'its value is no JSON object'],
])('a record %s is kept as its bytes, with the reason', (_, { value, headers }, unreadable) => {
  const read = received({ key: null, value, headers } as unknown as KafkaMessage, 't/0/1');
  expect(read).toMatchObject({ unreadable, message: { key: '', data: {} } });
  expect(read.message.attachment ?? null).toEqual(value);
});

test('batches stay below the brokers’ limit and in order; one record too large is a batch of its own', () => {
  const record = (bytes: number) => recordOf({ ...message, attachment: Buffer.alloc(bytes) });
  const sizes = [400_000, 400_000, 400_000, 2_000_000, 10];
  const batches = inBatches(sizes.map(record));
  expect(batches.map((batch) => batch.map((each) => (each.headers?.['attachment'] as Buffer).length))).toEqual([
    [400_000, 400_000],
    [400_000],
    [2_000_000],
    [10],
  ]);
  const small = inBatches(Array.from({ length: 1200 }, () => record(1)));
  expect(small.map(({ length }) => length)).toEqual([500, 500, 200]);
  for (const batch of small) expect(batch.reduce((sum, each) => sum + sizeOf(each), 0)).toBeLessThan(1_000_000);
});
