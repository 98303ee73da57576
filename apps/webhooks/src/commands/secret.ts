import { DataKeyDestroyed, type DataKeys, type KeyOwner } from '@causeway/data-keys';
import { randomBytes } from 'node:crypto';

const secretBytes = 32;
const hintLength = 4;

export const newSecret = (): string => `whsec_${randomBytes(secretBytes).toString('base64')}`;
export const hintOf = (secret: string): string => secret.slice(-hintLength);

const context = 'webhook-secret';

/** Under a data key of the webhook's own: it opens for no other. */
export const sealSecret = async (
  keys: DataKeys,
  webhookId: string,
  owner: KeyOwner,
  secret: string,
): Promise<string> => {
  await keys.create(webhookId, owner);
  return (await keys.encrypt(webhookId, Buffer.from(secret), context)).toString('base64');
};

/** Throws for a webhook that was deleted: nothing is sent to it any more. */
export const unsealSecret = async (keys: DataKeys, webhookId: string, sealed: Buffer): Promise<string> => {
  const secret = await keys.decrypt(webhookId, sealed, context);
  if (secret === undefined) throw new DataKeyDestroyed(webhookId);
  return secret.toString();
};
