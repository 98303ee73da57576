import type { KeySet, PrivateJwk } from '@causeway/settings';
import { createLocalJWKSet, jwtVerify, SignJWT, type JSONWebKeySet, type JWK, type JWTPayload } from 'jose';
import { createHash, createPrivateKey, randomUUID } from 'node:crypto';

/** What a token lets its bearer do: some of what its key does, for a while. */
export type Grant = Readonly<{ keyId: string; scopes: readonly string[]; expiresAtMs: number }>;

export type AccessTokens = Readonly<{
  /** Good for an hour, and no longer than its key: that is looked at with every request. */
  issue(keyId: string, scopes: readonly string[]): Promise<string>;
  /** What is no token of ours, or is one no more, is `undefined`. */
  verify(token: string): Promise<Grant | undefined>;
  /** The same of a token that was verified here before, without waiting. */
  recall(token: string): Grant | undefined;
  /** The public halves, for anyone who wants to verify a token. */
  jwks: JSONWebKeySet;
}>;

export const lifetimeSeconds = 3600;
/** Of RFC 9068: no other JWT that the keys may ever sign is taken for an access token. */
const type = 'at+jwt';
const algorithms = ['EdDSA', 'ES256'];
/** Beyond this many tokens, the oldest is verified again. */
const rememberedMax = 10_000;

const algorithmOf = ({ crv }: PrivateJwk): string => (crv === 'P-256' ? 'ES256' : 'EdDSA');

const publicKeyOf = (key: PrivateJwk): JWK => {
  const { kty, crv, x, y, kid } = key;
  return { kty, crv, x, ...(y !== undefined && { y }), kid, use: 'sig', alg: algorithmOf(key) };
};

const grantOf = ({ sub = '', exp = 0, scope }: JWTPayload): Grant => ({
  keyId: sub,
  scopes: String(scope).split(' '),
  expiresAtMs: exp * 1000,
});

/** Tokens that were verified, by their hashes: a signature is checked once, not at every request. */
const verifiedTokens = () => {
  const grants = new Map<string, Grant>();
  const nameOf = (token: string): string => createHash('sha256').update(token).digest('base64');
  return {
    of: (token: string): Grant | undefined => grants.get(nameOf(token)),
    keep: (token: string, grant: Grant): void => {
      const oldest = grants.keys().next();
      if (grants.size >= rememberedMax && oldest.done !== true) grants.delete(oldest.value);
      grants.set(nameOf(token), grant);
    },
  };
};

type Parts = Readonly<{
  keys: KeySet;
  /** Issuer and audience: where the interface is served. */
  publicUrl: () => string;
  nowMs: () => number;
}>;

/** Signed by the newest key; good while the key that signed it is listed. */
export const accessTokens = ({ keys, publicUrl, nowMs }: Parts): AccessTokens => {
  const [newest] = keys;
  const signingKey = createPrivateKey({ key: newest, format: 'jwk' });
  const jwks = { keys: keys.map(publicKeyOf) };
  const publicKey = createLocalJWKSet(jwks);
  const verified = verifiedTokens();

  const unexpired = (grant: Grant | undefined): Grant | undefined =>
    grant !== undefined && grant.expiresAtMs > nowMs() ? grant : undefined;

  return {
    jwks,
    issue: (keyId, scopes) => {
      const now = Math.floor(nowMs() / 1000);
      return new SignJWT({ client_id: keyId, scope: scopes.join(' ') })
        .setProtectedHeader({ alg: algorithmOf(newest), kid: newest.kid, typ: type })
        .setIssuer(publicUrl())
        .setAudience(publicUrl())
        .setSubject(keyId)
        .setIssuedAt(now)
        .setExpirationTime(now + lifetimeSeconds)
        .setJti(randomUUID())
        .sign(signingKey);
    },
    verify: async (token) => {
      const [issuer, currentDate] = [publicUrl(), new Date(nowMs())];
      const requiredClaims = ['sub', 'exp', 'scope'];
      const options = { issuer, audience: issuer, algorithms, typ: type, currentDate, requiredClaims };
      const result = await jwtVerify(token, publicKey, options).catch(() => undefined);
      if (result === undefined) return undefined;
      const grant = grantOf(result.payload);
      verified.keep(token, grant);
      return grant;
    },
    recall: (token) => unexpired(verified.of(token)),
  };
};
