import {
  environmentOf,
  environmentOfOthers,
  heldSecrets,
  newSecret,
  secretSettings,
  secretsIn,
} from './secret-settings.ts';
import { services } from './services.ts';

const [hex, base64] = ['07'.repeat(32), Buffer.alloc(32, 8).toString('base64')];
const env = {
  PATH: '/bin',
  CAUSEWAY_DATABASE_URL: 'postgres://x',
  CAUSEWAY_MASTER_KEY: `2:${base64},1:${hex}`,
  CAUSEWAY_API_KEY_SECRET: hex,
  CAUSEWAY_CURSOR_SECRET: hex,
  CAUSEWAY_RESERVATION_SECRET: hex,
  CAUSEWAY_BUS_SECRET: hex,
  CAUSEWAY_RECEIPT_KEYS: newSecret('CAUSEWAY_RECEIPT_KEYS'),
  CAUSEWAY_SEALING_KEYS: newSecret('CAUSEWAY_SEALING_KEYS'),
  CAUSEWAY_TOKEN_KEYS: newSecret('CAUSEWAY_TOKEN_KEYS'),
};
const theRest = { PATH: '/bin', CAUSEWAY_DATABASE_URL: 'postgres://x' };
const { CAUSEWAY_MASTER_KEY, CAUSEWAY_API_KEY_SECRET, CAUSEWAY_CURSOR_SECRET, CAUSEWAY_RESERVATION_SECRET } = env;
const { CAUSEWAY_BUS_SECRET, CAUSEWAY_RECEIPT_KEYS, CAUSEWAY_SEALING_KEYS, CAUSEWAY_TOKEN_KEYS } = env;

test.each([
  ['gateway', { CAUSEWAY_API_KEY_SECRET, CAUSEWAY_CURSOR_SECRET, CAUSEWAY_BUS_SECRET, CAUSEWAY_TOKEN_KEYS }],
  ['connections', { CAUSEWAY_MASTER_KEY, CAUSEWAY_RESERVATION_SECRET, CAUSEWAY_BUS_SECRET, CAUSEWAY_SEALING_KEYS }],
  ['ledger', { CAUSEWAY_MASTER_KEY, CAUSEWAY_BUS_SECRET, CAUSEWAY_RECEIPT_KEYS }],
  ['transfers', { CAUSEWAY_MASTER_KEY, CAUSEWAY_BUS_SECRET }],
  ['webhooks', { CAUSEWAY_MASTER_KEY, CAUSEWAY_BUS_SECRET }],
])('%s has the secrets that it uses and no other', (service, used) => {
  expect(environmentOf([service], env)).toEqual({ ...theRest, ...used });
  expect([...heldSecrets(service, env).keys()].sort()).toEqual(Object.keys(used).sort());
});

test('where the data keys are is told to those alone that open them', () => {
  const told = services.filter(
    (service) =>
      'CAUSEWAY_KEYS_DATABASE_URL' in environmentOf([service], { CAUSEWAY_KEYS_DATABASE_URL: 'postgres://y' }),
  );
  expect(told).toEqual(['connections', 'ledger', 'transfers', 'webhooks']);
});

test('a program that is not ours has nothing of ours', () => {
  expect(environmentOfOthers(env)).toEqual({ PATH: '/bin' });
});

test.each(secretSettings)('%s is read as it is made', (name) => {
  expect(secretsIn({ [name]: newSecret(name) }, name)).toHaveLength(1);
});

test('names of reservations are under one secret for good', () => {
  const two = { CAUSEWAY_RESERVATION_SECRET: `2:${base64},1:${hex}` };
  expect(() => secretsIn(two, 'CAUSEWAY_RESERVATION_SECRET')).toThrow(
    'CAUSEWAY_RESERVATION_SECRET 1 is one too many: it is never rotated',
  );
  expect(() => secretsIn({}, 'CAUSEWAY_RESERVATION_SECRET')).toThrow('CAUSEWAY_RESERVATION_SECRET must be set');
});

test('of keys, it is the private part that tells one from another', () => {
  const text = newSecret('CAUSEWAY_SEALING_KEYS');
  const [{ kid, d }] = (JSON.parse(text) as { keys: [{ kid: string; d: string }] }).keys;
  expect(secretsIn({ CAUSEWAY_SEALING_KEYS: text }, 'CAUSEWAY_SEALING_KEYS')).toEqual([
    { id: kid, key: Buffer.from(d) },
  ]);
});
