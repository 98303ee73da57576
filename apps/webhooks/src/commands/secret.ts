import { sealedTo } from '@causeway/contracts';
import { DataKeyDestroyed, type DataKeys, type KeyOwner } from '@causeway/data-keys';
import type { SealedSecret } from '@causeway/domain/webhooks';
import { randomBytes } from 'node:crypto';

const secretBytes = 32;
const hintLength = 4;

export const newSecret = (): string => `whsec_${randomBytes(secretBytes).toString('base64')}`;

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

export const sealNewSecret = async (keys: DataKeys, webhookId: string, owner: KeyOwner): Promise<SealedSecret> => {
  const secret = newSecret();
  return { sealedSecret: await sealSecret(keys, webhookId, owner, secret), secretHint: secret.slice(-hintLength) };
};

/** Throws for a webhook that was deleted: nothing is sent to it any more. */
export const unsealSecret = async (keys: DataKeys, webhookId: string, sealed: Buffer): Promise<string> => {
  const secret = await keys.decrypt(webhookId, sealed, context);
  if (secret === undefined) throw new DataKeyDestroyed(webhookId);
  return secret.toString();
};

/** For the one who asked, under the key that the command brought. */
export const revealedTo = async (sealTo: string, keys: DataKeys, webhookId: string, sealed: Buffer): Promise<string> =>
  sealedTo(sealTo, await unsealSecret(keys, webhookId, sealed));
