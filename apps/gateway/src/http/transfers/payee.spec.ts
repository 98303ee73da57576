import { oneTimeKey } from '@causeway/contracts';
import { destinationFor, rememberedKey } from './payee.ts';

const destination = {
  ...({ type: 'external', name: 'Acme' } as const),
  paymentIdentifier: {
    ...({ scheme: 'us_wire', countryCode: 'US', currency: 'USD' } as const),
    details: { accountNumber: '990123456788', routingNumber: '021000021' },
  },
};

test('a payee leaves the gateway sealed, with the transfer that it is for', async () => {
  const { publicKey, open } = await oneTimeKey();
  const sealed = await destinationFor('t-1', { destination }, async () => publicKey);
  if (sealed.type === 'account') throw new Error('it was to be sealed');
  expect(Buffer.from(sealed.sealedPayee, 'base64url').toString('latin1')).not.toContain('990123456788');
  const { name, paymentIdentifier } = destination;
  const payee = { name, paymentIdentifier, bankName: null, address: null };
  expect(JSON.parse(await open(sealed.sealedPayee))).toEqual({ transferId: 't-1', payee });
});

test('an account is told as it is, in lower case, and no key is asked for', async () => {
  const ask = () => Promise.reject(new Error('asked'));
  const own = { type: 'account', accountId: 'AB' } as const;
  expect(await destinationFor('t-1', { destination: own }, ask)).toEqual({ type: 'account', accountId: 'ab' });
});

test('the key is asked for once, and again where there was no answer', async () => {
  const key = rememberedKey();
  let asked = 0;
  const ask = async (): Promise<string> => {
    asked += 1;
    if (asked === 1) throw new Error('away');
    return `key ${asked}`;
  };
  await expect(key(ask)).rejects.toThrow('away');
  expect(await Promise.all([key(ask), key(ask), key(ask)])).toEqual(['key 2', 'key 2', 'key 2']);
  expect(asked).toBe(2);
});
