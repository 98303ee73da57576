import { allowedHosts } from '../reactions/deliveries/address.ts';
import { reachRefusal } from './reachable.ts';

const refusal = 'must be a public address';
const none = allowedHosts([]);
const unknown = async (): Promise<readonly string[]> => {
  throw new Error('ENOTFOUND');
};

test.each([
  ['a name that resolves to a public address is taken', async () => ['8.8.8.8'], undefined],
  ['a name that resolves to a private address is not', async () => ['10.0.0.1'], refusal],
  ['nor is one of whose addresses one is private', async () => ['8.8.8.8', '::1'], refusal],
  ['a name that does not resolve at present is taken: every delivery looks again', unknown, undefined],
])('%s', async (_rule, resolve, expected) => {
  expect(await reachRefusal({ allowed: none, resolve }, 'https://receiver.example/hook')).toBe(expected);
});

test('an allowed host is not asked for', async () => {
  const allowed = allowedHosts(['receiver.internal:9000']);
  const resolve = async () => ['10.0.0.1'];
  expect(await reachRefusal({ allowed, resolve }, 'http://receiver.internal:9000/hook')).toBeUndefined();
  expect(await reachRefusal({ allowed, resolve }, 'https://receiver.internal/hook')).toBe(refusal);
});

test('an address is judged without asking anybody', async () => {
  const asked: string[] = [];
  const resolve = async (name: string) => (asked.push(name), ['8.8.8.8']);
  expect(await reachRefusal({ allowed: none, resolve }, 'https://127.0.0.1/')).toBe(refusal);
  expect(await reachRefusal({ allowed: none, resolve }, 'https://[2606:4700::1111]/')).toBeUndefined();
  expect(asked).toEqual([]);
});
