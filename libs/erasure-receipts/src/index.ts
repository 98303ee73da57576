export { isGenuine, publicKeyOf, signedReceipt } from './receipt.ts';
export type { PublicKey, SigningKey } from './receipt.ts';
