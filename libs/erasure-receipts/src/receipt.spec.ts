import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import type { ErasureReceipt } from '@causeway/domain/ledger';
import { isGenuine, publicKeyOf, signedReceipt, type SigningKey } from './receipt.ts';

const newKey = (kid: string): SigningKey => {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { kid, x, d };
};

const [newest, older] = [newKey('2026-11'), newKey('2026-05')];
const facts = {
  connectionId: '0190b3a0-0000-7000-8000-000000000002',
  requestedAt: '2026-03-01T10:00:00.000Z',
  keyDestroyedAt: '2026-03-01T10:00:00.100Z',
  completedAt: '2026-03-01T10:00:02.000Z',
  rows: { accounts: 2, transactions: 500, balances: 180, events: 720 },
};
const receipt = signedReceipt(facts, older);

test('a receipt verifies under the key that it names, whichever signs by now', () => {
  expect(isGenuine(receipt, [newest, older])).toBe(true);
  expect(isGenuine(receipt, [newest])).toBe(false);
  expect(isGenuine(receipt, [{ ...newest, kid: older.kid }])).toBe(false);
});

test.each<[string, Partial<ErasureReceipt>]>([
  ['the connection', { connectionId: '0190b3a0-0000-7000-8000-000000000003' }],
  ['a time', { completedAt: '2026-03-01T10:00:03.000Z' }],
  ['a number of rows', { rows: { ...facts.rows, events: 719 } }],
  ['the key', { keyId: newest.kid }],
  ['the signature', { signature: signedReceipt({ ...facts, completedAt: facts.requestedAt }, older).signature }],
  ['the signature, by something that is none', { signature: 'none' }],
])('a receipt of which %s was changed does not', (_, change) => {
  expect(isGenuine({ ...receipt, ...change }, [newest, older])).toBe(false);
});

test('in whatever order its members come, and whatever stands beside them, it is the same receipt', () => {
  const { signature, rows, ...rest } = receipt;
  const { events, ...others } = rows;
  const reordered = { signature, verified: true, rows: { events, ...others }, ...rest };
  expect(isGenuine(reordered, [older])).toBe(true);
});

test('anybody can verify it: the public key, and its JSON with the members in order and without the signature', () => {
  const { signature, ...rest } = receipt;
  const text =
    '{"completedAt":"2026-03-01T10:00:02.000Z","connectionId":"0190b3a0-0000-7000-8000-000000000002","keyDestroyedAt":' +
    '"2026-03-01T10:00:00.100Z","keyId":"2026-05","requestedAt":"2026-03-01T10:00:00.000Z","rows":{"accounts":2,' +
    '"balances":180,"events":720,"transactions":500}}';
  const key = createPublicKey({ key: { ...publicKeyOf(older) }, format: 'jwk' });
  expect(JSON.parse(text)).toEqual(rest);
  expect(verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))).toBe(true);
});
