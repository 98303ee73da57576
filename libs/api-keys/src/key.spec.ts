import type { Secret, SecretRing } from '@causeway/settings';
import { ipRange, isAllowedFrom } from './ip-ranges.ts';
import { apiKeyText, hasHash, newApiKey, parseApiKey, secretHash } from './key.ts';

const [old, young] = [1, 2].map((n) => ({ id: String(n), key: Buffer.alloc(32, n) })) as [Secret, Secret];
const secrets: SecretRing = [old];

test('a key is read back from its text, and no two are alike', () => {
  const keys = Array.from({ length: 100 }, () => newApiKey('test'));
  expect(keys.map((key) => parseApiKey(apiKeyText(key)))).toEqual(keys);
  expect(new Set(keys.map(({ secret }) => secret)).size).toBe(100);
  expect(new Set(keys.map(({ keyId }) => keyId)).size).toBe(100);
});

test.each(['', 'svc_test__', 'svc_prod_a_b', ' svc_test_a_b', `svc_test_${'a'.repeat(16)}_${'b'.repeat(42)}`])(
  '%j is no key',
  (text) => {
    expect(parseApiKey(text)).toBeUndefined();
  },
);

test('a secret is good for its own id, environment and installation only', () => {
  const key = newApiKey('test');
  const hash = secretHash(secrets, key);
  expect(hasHash(secrets, key, hash)).toBe(true);
  expect(hasHash(secrets, { ...key, environment: 'live' }, hash)).toBe(false);
  expect(hasHash(secrets, { ...key, keyId: newApiKey('test').keyId }, hash)).toBe(false);
  expect(hasHash(secrets, { ...key, secret: newApiKey('test').secret }, hash)).toBe(false);
  expect(hasHash([young], key, hash)).toBe(false);
  expect(hasHash(secrets, key, '')).toBe(false);
});

test('a key that was made under an older secret holds while that is listed', () => {
  const key = newApiKey('test');
  const [before, after] = [secretHash([old, young], key), secretHash([young, old], key)];
  expect(hasHash([young, old], key, before)).toBe(true);
  expect([hasHash([young], key, before), hasHash([young], key, after)]).toEqual([false, true]);
});

test.each([
  ['192.0.2.0/24', '192.0.2.0/24'],
  ['192.0.2.7', '192.0.2.7/32'],
  ['2001:db8::/32', '2001:db8::/32'],
  ['::ffff:192.0.2.7', '192.0.2.7/32'],
  ['192.0.2.0/33', undefined],
  ['example.com', undefined],
])('the range %s is kept as %s', (text, kept) => {
  expect(ipRange(text)).toBe(kept);
});

test.each([
  [[], '203.0.113.9', true],
  [['192.0.2.0/24'], '192.0.2.200', true],
  [['192.0.2.0/24'], '::ffff:192.0.2.200', true],
  [['192.0.2.0/24'], '192.0.3.1', false],
  [['192.0.2.0/24', '2001:db8::/32'], '2001:db8::1', true],
  [['2001:db8::/32'], '192.0.2.1', false],
  [['192.0.2.0/24'], '', false],
])('of %j, %s is allowed: %s', (ranges, address, allowed) => {
  expect(isAllowedFrom(ranges, address)).toBe(allowed);
});
