export { isGenuine, publicKeyOf, signedReceipt } from './receipt.ts';
export type { ErasureFacts, ErasureReceipt, PublicKey, SigningKey } from './receipt.ts';
