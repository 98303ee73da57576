import { createHmac, hkdfSync, randomInt, timingSafeEqual } from 'node:crypto';

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

/** What keys the hashes of secrets: a table of hashes alone lets nobody try secrets out. */
export const pepperOf = (masterKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, '', 'causeway api key secrets', 32));

/** Of the whole key, so that a secret is good in its own environment and under its own id only. */
export const secretHash = (pepper: Buffer, key: ApiKeyText): string =>
  createHmac('sha256', pepper).update(apiKeyText(key)).digest('hex');

export const hasHash = (pepper: Buffer, key: ApiKeyText, expected: string): boolean => {
  const actual = Buffer.from(secretHash(pepper, key), 'hex');
  const wanted = Buffer.from(expected, 'hex');
  return actual.length === wanted.length && timingSafeEqual(actual, wanted);
};
