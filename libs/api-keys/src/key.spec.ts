import { ipRange, isAllowedFrom } from './ip-ranges.ts';
import { apiKeyText, hasHash, newApiKey, parseApiKey, pepperOf, secretHash } from './key.ts';

const pepper = pepperOf(Buffer.alloc(32, 1));

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
  const hash = secretHash(pepper, key);
  expect(hasHash(pepper, key, hash)).toBe(true);
  expect(hasHash(pepper, { ...key, environment: 'live' }, hash)).toBe(false);
  expect(hasHash(pepper, { ...key, keyId: newApiKey('test').keyId }, hash)).toBe(false);
  expect(hasHash(pepper, { ...key, secret: newApiKey('test').secret }, hash)).toBe(false);
  expect(hasHash(pepperOf(Buffer.alloc(32, 2)), key, hash)).toBe(false);
  expect(hasHash(pepper, key, '')).toBe(false);
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
