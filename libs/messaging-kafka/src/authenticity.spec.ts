import type { IHeaders, KafkaMessage, Message as KafkaRecord } from 'kafkajs';
import { isAuthentic, signed } from './authenticity.ts';

const secret = (n: number) => ({ id: `s${n}`, key: Buffer.alloc(32, n) });
const ours = [secret(1)] as const;
const record: KafkaRecord = {
  key: 'k',
  value: '{"n":1}',
  headers: { 'message-id': 'a', 'message-type': 'noted', attachment: Buffer.from([0, 255]) },
};

/** As the broker hands it on: everything in bytes. */
const arrived = ({ key, value, headers = {} }: KafkaRecord): KafkaMessage => {
  const bytes = (part: Buffer | string | null | undefined) =>
    typeof part === 'string' || Buffer.isBuffer(part) ? Buffer.from(part) : null;
  const read: IHeaders = {};
  for (const [name, header] of Object.entries(headers)) read[name] = Buffer.from(header as Buffer | string);
  return { key: bytes(key), value: bytes(value), headers: read } as KafkaMessage;
};
const sent = (): KafkaMessage => arrived(signed(ours, 'topic', record));
const change = (part: Partial<KafkaMessage>): KafkaMessage => ({ ...sent(), ...part }) as KafkaMessage;
const headed = (headers: IHeaders): KafkaMessage => change({ headers: { ...sent().headers, ...headers } });

const without = (name: string): KafkaMessage =>
  change({ headers: Object.fromEntries(Object.entries(sent().headers ?? {}).filter(([other]) => other !== name)) });

test('a record is known by those who share its secret, whichever of theirs it is', () => {
  expect(isAuthentic(ours, 'topic', sent())).toBe(true);
  expect(isAuthentic([secret(2), secret(1)], 'topic', sent())).toBe(true);
});

test('a record without a value is known too, and is not one with an empty value', () => {
  const dropped = arrived(signed(ours, 'topic', { key: 'k', value: null }));
  expect(isAuthentic(ours, 'topic', dropped)).toBe(true);
  expect(isAuthentic(ours, 'topic', { ...dropped, value: Buffer.alloc(0) })).toBe(false);
});

test.each<[string, KafkaMessage]>([
  ['its value', change({ value: Buffer.from('{"n":2}') })],
  ['its key', change({ key: Buffer.from('l') })],
  ['its type', headed({ 'message-type': 'asked' })],
  ['its attachment', headed({ attachment: Buffer.from([0, 254]) })],
  ['a header more', headed({ letter: 'x' })],
  ['a header less', without('attachment')],
  ['a header twice', headed({ 'message-id': ['a', 'a'] })],
  ['where a header ends and the next begins', headed({ 'message-id': 'amessage-type', 'message-type': 'noted' })],
  ['no MAC', without('mac')],
  ['an empty MAC', headed({ mac: 's1:' })],
  ['a MAC of no secret of ours', headed({ mac: `s9:${String(sent().headers?.['mac']).slice(3)}` })],
  ['its MAC written otherwise', headed({ mac: `${String(sent().headers?.['mac'])}=` })],
  ['something after its MAC', headed({ mac: `${String(sent().headers?.['mac'])}:x` })],
  ['two MACs', headed({ mac: [sent().headers?.['mac'] as Buffer, 's1:x'] })],
])('with %s it is none of ours', (_, altered) => {
  expect(isAuthentic(ours, 'topic', altered)).toBe(false);
});

test('sent to another topic, or made under a secret that is not listed, it is none of ours', () => {
  expect(isAuthentic(ours, 'elsewhere', sent())).toBe(false);
  expect(isAuthentic([secret(2)], 'topic', sent())).toBe(false);
  expect(isAuthentic([{ ...secret(2), id: 's1' }], 'topic', sent())).toBe(false);
});
