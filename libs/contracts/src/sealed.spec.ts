import { exportJWK, generateKeyPair } from 'jose';
import { derivedKey, oneTimeKey, openSealed, publicKeyOf, sealedTo } from './sealed.ts';

const secret = 'whsec_0123456789';

test('what is sealed to a key is opened by it alone, and shows nothing of what is in it', async () => {
  const [key, other] = [await oneTimeKey(), await oneTimeKey()];
  const sealed = await sealedTo(key.publicKey, secret);
  expect(await key.open(sealed)).toBe(secret);
  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain(secret);
  expect(await sealedTo(key.publicKey, secret)).not.toBe(sealed);
  await expect(other.open(sealed)).rejects.toThrow();
});

test('what was altered on the way does not open', async () => {
  const key = await oneTimeKey();
  const [head, none, nonce, body = '', tag] = (await sealedTo(key.publicKey, secret)).split('.');
  const altered = `${body.startsWith('A') ? 'B' : 'A'}${body.slice(1)}`;
  await expect(key.open([head, none, nonce, altered, tag].join('.'))).rejects.toThrow();
});

test('the public half holds nothing of the private one', async () => {
  const { publicKey } = await oneTimeKey();
  expect(Object.keys(JSON.parse(publicKey) as object).sort()).toEqual(['crv', 'kty', 'x', 'y']);
});

describe('the keys of a service', () => {
  const keyOf = async (kid: string) => {
    const { privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
    return { ...(await exportJWK(privateKey)), kid } as Parameters<typeof openSealed>[1][number];
  };

  test('open what was sealed to one of them, and nothing else', async () => {
    const [older, newer, other] = await Promise.all(['1', '2', '3'].map(keyOf));
    if (older === undefined || newer === undefined || other === undefined) throw new Error('keys are missing');
    const sealed = await sealedTo(publicKeyOf(older), secret);
    expect(await openSealed(sealed, [newer, older])).toBe(secret);
    await expect(openSealed(sealed, [newer])).rejects.toThrow('sealed to 1');
    await expect(openSealed(sealed, [{ ...other, kid: '1' }])).rejects.toThrow();
  });

  test('show nothing of their private part to who seals', async () => {
    expect(Object.keys(JSON.parse(publicKeyOf(await keyOf('1'))) as object)).toEqual(['kty', 'crv', 'x', 'y', 'kid']);
  });
});

describe('a key that derives from a secret', () => {
  const secretOf = (fill: number) => ({ id: '1', key: Buffer.alloc(32, fill) });

  test('is the same wherever the secret is', async () => {
    const sealed = await sealedTo(publicKeyOf(derivedKey(secretOf(7), 'payees')), secret);
    expect(await openSealed(sealed, [derivedKey(secretOf(7), 'payees')])).toBe(secret);
  });

  test.each([
    ['secret', derivedKey(secretOf(8), 'payees')],
    ['purpose', derivedKey(secretOf(7), 'others')],
  ])('is another one for another %s', async (_, other) => {
    const sealed = await sealedTo(publicKeyOf(derivedKey(secretOf(7), 'payees')), secret);
    await expect(openSealed(sealed, [other])).rejects.toThrow();
  });
});
