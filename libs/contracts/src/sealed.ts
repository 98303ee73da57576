import { compactDecrypt, CompactEncrypt, exportJWK, generateKeyPair, importJWK } from 'jose';

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

/** For one request: what its reply holds is readable by who asked, and by nothing that it passes on the way. */
export const oneTimeKey = async (): Promise<OneTimeKey> => {
  const { publicKey, privateKey } = await generateKeyPair(agreement, { crv: 'P-256' });
  const open = async (sealed: string): Promise<string> => {
    const allowed = { keyManagementAlgorithms: [agreement], contentEncryptionAlgorithms: [cipher] };
    const { plaintext } = await compactDecrypt(sealed, privateKey, allowed);
    return Buffer.from(plaintext).toString();
  };
  return { publicKey: JSON.stringify(await exportJWK(publicKey)), open };
};

/** A JWE in its compact form. */
export const sealedTo = async (publicKey: PublicKeyText, plain: string): Promise<string> => {
  const key = await importJWK(JSON.parse(publicKey) as Record<string, string>, agreement);
  return new CompactEncrypt(Buffer.from(plain)).setProtectedHeader({ alg: agreement, enc: cipher }).encrypt(key);
};
