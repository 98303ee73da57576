import { isUuid } from '@causeway/http';
import { requestIdOf, transferIdOf } from './idempotency-key.ts';

const scope = { organization: 'demo', environment: 'test' } as const;
const first = transferIdOf(scope, 'invoice 7');

test('a key stands for one transfer, whoever hashes it and when', () => {
  expect(first).toBe('80fb8db6-6bcc-8663-8ba4-230e9e64a9b2');
  expect(transferIdOf(scope, 'invoice 7')).toBe(first);
  expect(isUuid(first)).toBe(true);
});

test.each([
  ['key', scope, 'invoice 8'],
  ['environment', { ...scope, environment: 'live' as const }, 'invoice 7'],
  ['organization', { ...scope, organization: 'other' }, 'invoice 7'],
])('another %s is another transfer', (_, other, key) => {
  expect(transferIdOf(other, key)).not.toBe(first);
});

test('without a key, each request is a transfer of its own', () => {
  expect(transferIdOf(scope, undefined)).not.toBe(transferIdOf(scope, undefined));
});

test('a key at another endpoint, or for another transfer, is another request', () => {
  const of = (endpoint: string, transfer: string) => requestIdOf(scope, [endpoint, transfer], 'invoice 7');
  expect(of('retry', first)).toBe(of('retry', first));
  expect(new Set([first, of('retry', first), of('cancel', first), of('retry', 'other')]).size).toBe(4);
  expect(requestIdOf(scope, ['retry', first], undefined)).toBeNull();
});
