import type { SecretRing } from '@causeway/settings';
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';

export type Environment = 'live' | 'test';

/** `svc_<environment>_<key_id>_<secret>`, taken apart. */
export type ApiKeyText = Readonly<{ environment: Environment; keyId: string; secret: string }>;

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keyIdLength = 16;
/** 62 to the 43rd is just over 2 to the 256th. */
const secretLength = 43;

const form = new RegExp(`^svc_(live|test)_([0-9A-Za-z]{${keyIdLength}})_([0-9A-Za-z]{${secretLength}})$`);

const randomText = (length: number): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('');

export const newApiKey = (environment: Environment): ApiKeyText => ({
  environment,
  keyId: randomText(keyIdLength),
  secret: randomText(secretLength),
});

export const apiKeyText = ({ environment, keyId, secret }: ApiKeyText): string =>
  `svc_${environment}_${keyId}_${secret}`;

/** `undefined`: not of this form, so no key of ours. */
export const parseApiKey = (text: string): ApiKeyText | undefined => {
  const [, environment, keyId, secret] = form.exec(text) ?? [];
  if (keyId === undefined || secret === undefined) return undefined;
  return { environment: environment as Environment, keyId, secret };
};

/**
 * Of the whole key, so that a secret is good in its own environment and under its own id only. Keyed: a table of hashes
 * alone lets nobody try secrets out.
 */
const hashUnder = (secret: Buffer, key: ApiKeyText): Buffer =>
  createHmac('sha256', secret).update(apiKeyText(key)).digest();

export const secretHash = ([newest]: SecretRing, key: ApiKeyText): string => hashUnder(newest.key, key).toString('hex');

/** Under any of the secrets. */
export const hasHash = (secrets: SecretRing, key: ApiKeyText, expected: string): boolean => {
  const wanted = Buffer.from(expected, 'hex');
  return secrets.some((secret) => {
    const actual = hashUnder(secret.key, key);
    return actual.length === wanted.length && timingSafeEqual(actual, wanted);
  });
};
