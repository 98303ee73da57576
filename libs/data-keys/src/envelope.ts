import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/**
 * How a sealed value is laid out: version (1 byte), key id (4), nonce (12), ciphertext, tag (16). AES-256-GCM; the
 * context is authenticated beside it, so that a value moved to another place does not open. A random 96-bit nonce is
 * good for 2^32 values under one key (NIST SP 800-38D, 8.3).
 */
const version = 1;
const keyBytes = 32;
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + keyIdBytes + nonceBytes;
const algorithm = 'aes-256-gcm';

/** A key with the id that values sealed under it carry: tells a wrong key from a damaged value. */
export type SealingKey = Readonly<{ key: Buffer; id: Buffer }>;

export const sealingKey = (key: Buffer): SealingKey => {
  if (key.length !== keyBytes) throw new Error(`a key has ${keyBytes} bytes, not ${key.length}`);
  return { key, id: createHash('sha256').update(key).digest().subarray(0, keyIdBytes) };
};

export const newSealingKey = (): SealingKey => sealingKey(randomBytes(keyBytes));

export const sealUnder = ({ key, id }: SealingKey, plain: Buffer, context: string): Buffer => {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
  const body = cipher.update(plain);
  cipher.final();
  return Buffer.concat([Buffer.of(version), id, nonce, body, cipher.getAuthTag()]);
};

export const unsealUnder = ({ key, id }: SealingKey, sealed: Buffer, context: string): Buffer => {
  if (sealed.length < headerBytes + tagBytes) throw new Error('not a sealed value: too short');
  if (sealed[0] !== version) throw new Error(`not a sealed value of version ${version}`);
  if (!sealed.subarray(1, 1 + keyIdBytes).equals(id)) throw new Error('sealed under another key');
  const nonce = sealed.subarray(1 + keyIdBytes, headerBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(-tagBytes));
  const plain = decipher.update(sealed.subarray(headerBytes, -tagBytes));
  try {
    decipher.final();
  } catch (cause) {
    throw new Error('the sealed value was altered, or belongs to another place', { cause });
  }
  return plain;
};
