import type { DataKeys } from '@causeway/data-keys';
import { randomBytes } from 'node:crypto';

const secretBytes = 32;
const hintLength = 4;

export const newSecret = (): string => `whsec_${randomBytes(secretBytes).toString('base64')}`;
export const hintOf = (secret: string): string => secret.slice(-hintLength);

/** Bound to its webhook: under another's id it does not open. */
const contextOf = (webhookId: string): string => `webhook-secret ${webhookId}`;

export const sealSecret = (keys: Pick<DataKeys, 'seal'>, webhookId: string, secret: string): string =>
  keys.seal(Buffer.from(secret), contextOf(webhookId)).toString('base64');

export const unsealSecret = (keys: Pick<DataKeys, 'unseal'>, webhookId: string, sealed: Buffer): string =>
  keys.unseal(sealed, contextOf(webhookId)).toString();
