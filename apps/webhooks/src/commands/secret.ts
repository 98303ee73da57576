import { DataKeyDestroyed, type DataKeys } from '@causeway/data-keys';
import { randomBytes } from 'node:crypto';

const secretBytes = 32;
const hintLength = 4;

export const newSecret = (): string => `whsec_${randomBytes(secretBytes).toString('base64')}`;
export const hintOf = (secret: string): string => secret.slice(-hintLength);

/** Bound to its webhook: under another's id it does not open. */
const contextOf = (webhookId: string): string => `webhook-secret ${webhookId}`;

/** Under a data key of the webhook's own. */
export const sealSecret = async (keys: DataKeys, webhookId: string, secret: string): Promise<string> => {
  await keys.create(webhookId);
  return (await keys.encrypt(webhookId, Buffer.from(secret), contextOf(webhookId))).toString('base64');
};

/** Throws for a webhook that was deleted: nothing is sent to it any more. */
export const unsealSecret = async (keys: DataKeys, webhookId: string, sealed: Buffer): Promise<string> => {
  const secret = await keys.decrypt(webhookId, sealed, contextOf(webhookId));
  if (secret === undefined) throw new DataKeyDestroyed(webhookId);
  return secret.toString();
};
