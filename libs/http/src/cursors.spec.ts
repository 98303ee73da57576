import type { Secret } from '@causeway/settings';
import fc from 'fast-check';
import { cursors, type CursorBinding } from './cursors.ts';

const [old, young] = [1, 2].map((n) => ({ id: String(n), key: Buffer.alloc(32, n) })) as [Secret, Secret];
const codec = cursors([old]);
const binding: CursorBinding = {
  organization: 'demo',
  environment: 'test',
  endpoint: '/v1/transactions',
  parameters: {
    sort: '-postedDate',
    accountId: undefined,
    status: 'posted',
    limit: 100,
    fields: undefined,
    cursor: undefined,
  },
};
const key = ['2026-01-01', '00000000-0000-4000-8000-000000000001'];
const sealed = codec.seal(binding, key);

test('a cursor gives back the key that was sealed', () => {
  expect(codec.open(binding, sealed)).toEqual(key);
});

test.each<[string, Partial<CursorBinding>]>([
  ['the cursor itself', { parameters: { ...binding.parameters, cursor: 'x' } }],
  ['limit', { parameters: { ...binding.parameters, limit: 7 } }],
  ['fields', { parameters: { ...binding.parameters, fields: ['id'] } }],
  ['the order of the parameters', { parameters: { status: 'posted', sort: '-postedDate' } }],
])('%s may change from page to page', (_, change) => {
  expect(codec.open({ ...binding, ...change }, sealed)).toEqual(key);
});

test.each<[string, Partial<CursorBinding>]>([
  ['organization', { organization: 'other' }],
  ['environment', { environment: 'live' }],
  ['endpoint', { endpoint: '/v1/accounts' }],
  ['sort', { parameters: { ...binding.parameters, sort: 'postedDate' } }],
  ['filter', { parameters: { ...binding.parameters, status: 'pending' } }],
  ['filter less', { parameters: { sort: '-postedDate' } }],
  ['filter more', { parameters: { ...binding.parameters, accountId: 'a' } }],
])('another %s is another cursor', (_, change) => {
  expect(codec.open({ ...binding, ...change }, sealed)).toBeUndefined();
});

test('a cursor sealed under another secret is none of ours', () => {
  expect(cursors([young]).open(binding, sealed)).toBeUndefined();
});

test('a cursor sealed under an older secret opens while that is listed', () => {
  const both = cursors([young, old]);
  expect(both.open(binding, sealed)).toEqual(key);
  expect(codec.open(binding, both.seal(binding, key))).toBeUndefined();
});

test('whatever one character of a cursor is changed to, it opens no more', () => {
  const bytes = Buffer.from(sealed, 'base64url');
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ flip;
      expect(codec.open(binding, changed.toString('base64url'))).toBeUndefined();
    }),
  );
});

test('no text makes it throw, and none that was not sealed opens', () => {
  fc.assert(fc.property(fc.string(), (text) => expect(codec.open(binding, text)).toBeUndefined()));
  expect(codec.open(binding, `${sealed}=`)).toBeUndefined();
  expect(codec.open(binding, ` ${sealed}`)).toBeUndefined();
});
