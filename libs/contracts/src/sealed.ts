import {
  compactDecrypt,
  CompactEncrypt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import { createECDH, hkdfSync } from 'node:crypto';

/** RFC 7518: a key agreed upon for this one message, and the cipher under it. */
const agreement = 'ECDH-ES';
const cipher = 'A256GCM';

/** The public half of a key that a command brings: a JWK on the curve P-256, as JSON. */
export type PublicKeyText = string;

export type OneTimeKey = Readonly<{
  publicKey: PublicKeyText;
  /** Opens what was sealed to it. Throws for anything else. */
  open(sealed: string): Promise<string>;
}>;

const opened = async (sealed: string, key: Parameters<typeof compactDecrypt>[1]): Promise<string> => {
  const allowed = { keyManagementAlgorithms: [agreement], contentEncryptionAlgorithms: [cipher] };
  const { plaintext } = await compactDecrypt(sealed, key, allowed);
  return Buffer.from(plaintext).toString();
};

/** For one request: what its reply holds is readable by who asked, and by nothing that it passes on the way. */
export const oneTimeKey = async (): Promise<OneTimeKey> => {
  const { publicKey, privateKey } = await generateKeyPair(agreement, { crv: 'P-256' });
  return { publicKey: JSON.stringify(await exportJWK(publicKey)), open: (sealed) => opened(sealed, privateKey) };
};

/** A JWE in its compact form, which names the key it is sealed to where that has a name. */
export const sealedTo = async (publicKey: PublicKeyText, plain: string): Promise<string> => {
  const jwk = JSON.parse(publicKey) as JWK;
  const key = await importJWK(jwk, agreement);
  const header = { alg: agreement, enc: cipher, ...(jwk.kid !== undefined && { kid: jwk.kid }) };
  return new CompactEncrypt(Buffer.from(plain)).setProtectedHeader(header).encrypt(key);
};

/** A private key of a service, that others seal to. */
type PrivateKey = Readonly<{ kty: string; crv: string; x: string; y?: string; d: string; kid: string }>;

export const publicKeyOf = ({ kty, crv, x, y, kid }: PrivateKey): PublicKeyText =>
  JSON.stringify({ kty, crv, x, y, kid });

/** Opens what was sealed to one of the keys. Throws for anything else. */
export const openSealed = async (sealed: string, keys: readonly PrivateKey[]): Promise<string> => {
  const { kid } = decodeProtectedHeader(sealed);
  const jwk = keys.find((key) => key.kid === kid);
  if (jwk === undefined) throw new Error(`sealed to ${String(kid)}, which is not at hand`);
  return opened(sealed, await importJWK(jwk, agreement));
};

/** The same in every process that has the secret; for another purpose it is another key (RFC 5869). */
export const derivedKey = (secret: Readonly<{ id: string; key: Buffer }>, purpose: string): PrivateKey => {
  const d = Buffer.from(hkdfSync('sha256', secret.key, '', purpose, 32));
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(d);
  // An uncompressed point: 4, then both coordinates of 32 bytes.
  const point = pair.getPublicKey();
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  return { kty: 'EC', crv: 'P-256', x, y, d: d.toString('base64url'), kid: secret.id };
};
