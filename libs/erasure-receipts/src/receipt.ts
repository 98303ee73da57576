import type { ErasureFacts, ErasureReceipt } from '@causeway/domain/ledger';
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';

/** An Ed25519 key as a JWK (RFC 8037); `d` is what is secret of it. */
export type SigningKey = Readonly<{ kid: string; x: string; d: string }>;
export type PublicKey = Readonly<{ kty: 'OKP'; crv: 'Ed25519'; x: string; kid: string; use: 'sig'; alg: 'EdDSA' }>;

const jwk = { kty: 'OKP', crv: 'Ed25519' } as const;

export const publicKeyOf = ({ x, kid }: Pick<SigningKey, 'x' | 'kid'>): PublicKey => ({
  ...{ ...jwk, x, kid },
  ...{ use: 'sig', alg: 'EdDSA' },
});

/** JSON by RFC 8785: members in the order of their names, no spaces. */
const canonical = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
};

/** All of a receipt but its signature, and nothing that is printed beside it. */
const signedText = (receipt: Omit<ErasureReceipt, 'signature'>): Buffer => {
  const { connectionId, requestedAt, keyDestroyedAt, completedAt, rows, keyId } = receipt;
  return Buffer.from(canonical({ connectionId, requestedAt, keyDestroyedAt, completedAt, rows, keyId }));
};

export const signedReceipt = (facts: ErasureFacts, { kid, x, d }: SigningKey): ErasureReceipt => {
  const unsigned = { ...facts, keyId: kid };
  const key = createPrivateKey({ key: { ...jwk, x, d }, format: 'jwk' });
  return { ...unsigned, signature: sign(null, signedText(unsigned), key).toString('base64') };
};

/** Whether one of the keys signed it, the one that it names, and nothing of it was changed since. */
export const isGenuine = (receipt: ErasureReceipt, keys: readonly Pick<SigningKey, 'x' | 'kid'>[]): boolean => {
  const key = keys.find(({ kid }) => kid === receipt.keyId);
  if (key === undefined) return false;
  const publicKey = createPublicKey({ key: { ...jwk, x: key.x }, format: 'jwk' });
  return verify(null, signedText(receipt), publicKey, Buffer.from(receipt.signature, 'base64'));
};
