import { generateKeyPairSync } from 'node:crypto';
import { keySet, newKeySet, type PrivateJwk } from './key-set.ts';
import { SettingInvalid } from './settings.ts';

const name = 'CAUSEWAY_SEALING_KEYS';
const keyOf = (kid: string): PrivateJwk => {
  const [made] = keySet({ [name]: newKeySet('P-256') }, name);
  return { ...made, kid };
};
const [a, b] = [keyOf('a'), keyOf('b')];
const read = (...keys: readonly unknown[]) => keySet({ [name]: JSON.stringify({ keys }) }, name);
const { privateKey } = generateKeyPairSync('ed25519');

test('keys are read in their order, and what else they say is left out', () => {
  expect(read({ ...b, use: 'enc' }, a)).toEqual([b, a]);
});

test('keys that sign may be on Ed25519, and say what is public of them', () => {
  const edwards = { ...privateKey.export({ format: 'jwk' }), kid: 'e' };
  expect(keySet({ [name]: JSON.stringify({ keys: [edwards, a] }) }, name, ['P-256', 'Ed25519'])).toEqual([edwards, a]);
});

test.each([
  ['nothing', '', /^CAUSEWAY_SEALING_KEYS must be set$/],
  ['no JSON', `${a.d}`, /must be a JWK set/],
  ['no keys', '{"keys":[]}', /must be a JWK set/],
  ['a key without a kid', JSON.stringify({ keys: [{ ...a, kid: undefined }] }), /has a key whose kid is not/],
  ['a public key', JSON.stringify({ keys: [{ ...a, d: undefined }] }), /SEALING_KEYS a must be a private key/],
  [
    'a key on another curve',
    JSON.stringify({ keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'a' }] }),
    /SEALING_KEYS a must be a private key on the curve P-256/,
  ],
  ['halves of two keys', JSON.stringify({ keys: [{ ...a, y: b.y }] }), /SEALING_KEYS a must be a private key/],
  ['a kid twice', JSON.stringify({ keys: [a, { ...b, kid: 'a' }] }), /two keys of the kid a/],
])('%s is refused, by name and kid, and not shown', (_, text, message) => {
  const reading = () => keySet({ [name]: text }, name);
  expect(reading).toThrow(SettingInvalid);
  expect(reading).toThrow(message);
  expect(reading).not.toThrow(new RegExp(a.d));
});
