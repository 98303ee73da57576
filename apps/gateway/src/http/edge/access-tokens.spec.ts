import { keysIn, type KeySet } from '@causeway/settings';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { createHmac, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { accessTokens } from './access-tokens.ts';

const keysOf = (...names: string[]): KeySet => {
  const keys = names.map((kid) => {
    const { privateKey } =
      kid === 'nist' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
    return { ...privateKey.export({ format: 'jwk' }), kid };
  });
  return keysIn({ CAUSEWAY_TOKEN_KEYS: JSON.stringify({ keys }) }, 'CAUSEWAY_TOKEN_KEYS');
};
const ring = keysOf('old');
const begin = Date.parse('2026-11-23T10:00:00Z');
const publicUrl = () => 'https://bank.example';
const codec = (keys = ring, nowMs = () => begin, url = publicUrl) => accessTokens({ keys, nowMs, publicUrl: url });
const keyId = 'AbCdEfGh01234567';
const scopes = ['accounts:read', 'transfers:write'];
const issued = (keys = ring): Promise<string> => codec(keys).issue(keyId, scopes);

test('a token says whose it is, what it may and for how long', async () => {
  const token = await issued();
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'EdDSA', kid: 'old', typ: 'at+jwt' });
  const { jti, ...claims } = decodeJwt(token);
  const [iss, iat] = ['https://bank.example', begin / 1000];
  const ofKey = { sub: keyId, client_id: keyId, scope: 'accounts:read transfers:write' };
  expect(claims).toEqual({ iss, aud: iss, iat, exp: iat + 3600, ...ofKey });
  expect(jti).toHaveLength(36);
});

test.each(['old', 'nist'])(
  'one signed by %s is verified by the published keys, and grants what it says',
  async (kid) => {
    const tokens = codec(keysOf(kid));
    const token = await tokens.issue(keyId, scopes);
    const { protectedHeader } = await jwtVerify(token, createLocalJWKSet(tokens.jwks), {
      currentDate: new Date(begin),
    });
    expect(protectedHeader.kid).toBe(kid);
    expect(JSON.stringify(tokens.jwks)).not.toContain('"d"');
    expect(await tokens.verify(token)).toEqual({ keyId, scopes, expiresAtMs: begin + 3_600_000 });
  },
);

test('one that was verified is recalled until it expires', async () => {
  let now = begin;
  const tokens = codec(ring, () => now);
  const token = await tokens.issue(keyId, scopes);
  expect(tokens.recall(token)).toBeUndefined();
  const grant = await tokens.verify(token);
  now += 3_599_999;
  expect(tokens.recall(token)).toEqual(grant);
  now += 1;
  expect(tokens.recall(token)).toBeUndefined();
  expect(await tokens.verify(token)).toBeUndefined();
});

test('a rotation has no gap: what the old key signed holds while that is listed, and new ones come from the new', async () => {
  const [young] = keysOf('young');
  const before = await issued();
  const second = codec([ring[0], young]);
  const first = codec([young, ring[0]]);
  const after = await first.issue(keyId, scopes);
  expect(decodeProtectedHeader(after).kid).toBe('young');
  for (const token of [before, after]) {
    expect((await second.verify(token))?.keyId).toBe(keyId);
    expect((await first.verify(token))?.keyId).toBe(keyId);
  }
  expect(await codec([young]).verify(before)).toBeUndefined();
});

const signed = (header: object, claims: JWTPayload, by = ring[0]): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'EdDSA', kid: 'old', typ: 'at+jwt', ...header })
    .sign(createPrivateKey({ key: by, format: 'jwk' }));
const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = decodeJwt(await issued());
const without = (name: string): JWTPayload =>
  Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name));

test.each<[string, () => string | Promise<string>]>([
  ['a word', () => 'token'],
  ['nothing', () => ''],
  [
    'one without a signature',
    async () => `${base64url({ alg: 'none', typ: 'at+jwt' })}.${(await issued()).split('.')[1]}.`,
  ],
  [
    'one that is signed with a public key as a secret',
    async () => {
      const said = `${base64url({ alg: 'HS256', kid: 'old', typ: 'at+jwt' })}.${base64url(claims)}`;
      const secret = Buffer.from(ring[0].x, 'base64url');
      return `${said}.${createHmac('sha256', secret).update(said).digest('base64url')}`;
    },
  ],
  [
    'one that brings its own key',
    () => {
      const [other] = keysOf('other');
      return signed({ jwk: { kty: 'OKP', crv: 'Ed25519', x: other.x } }, claims, other);
    },
  ],
  ['one of another installation under the same name', () => issued(keysOf('old'))],
  [
    'one that was changed',
    async () => (await issued()).replace(/\.(.)/, (_, letter) => `.${letter === 'e' ? 'f' : 'e'}`),
  ],
  ['a JWT that is no access token', () => signed({ typ: 'JWT' }, claims)],
  ['one for another audience', () => signed({}, { ...claims, aud: 'https://other.example' })],
  ['one of another issuer', () => signed({}, { ...claims, iss: 'https://other.example' })],
  ['one without an issuer', () => signed({}, without('iss'))],
  ['one without an end', () => signed({}, without('exp'))],
  ['one without a scope', () => signed({}, without('scope'))],
  ['one that expired', () => signed({}, { ...claims, exp: begin / 1000 })],
])('%s is none', async (_, token) => {
  expect(await codec().verify(await token())).toBeUndefined();
});
