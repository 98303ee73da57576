import { oneTimeKey, sealedTo } from './sealed.ts';

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
