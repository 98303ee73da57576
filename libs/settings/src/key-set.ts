import { createPrivateKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { optional, SettingInvalid, type Environment } from './settings.ts';

/** A private key on the curve P-256 (RFC 7517), known by its `kid`; `d` is what is secret of it. */
export type PrivateJwk = Readonly<{ kty: 'EC'; crv: 'P-256'; x: string; y: string; d: string; kid: string }>;

/** The first is the one in use; what was made under another holds while that is listed. */
export type KeySet = readonly [PrivateJwk, ...PrivateJwk[]];

const kidPattern = /^[A-Za-z0-9_.-]{1,64}$/;
const members = ['kty', 'crv', 'x', 'y', 'd', 'kid'] as const;

/** A new set of one key, as a setting holds it. */
export const newKeySet = (): string => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify({ keys: [{ ...privateKey.export({ format: 'jwk' }), kid: randomUUID() }] });
};

const isKey = (jwk: Readonly<Record<string, unknown>>): jwk is PrivateJwk => {
  try {
    const { asymmetricKeyDetails } = createPrivateKey({ key: jwk, format: 'jwk' });
    return asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
};

const keyFrom = (name: string, written: unknown): PrivateJwk => {
  const given = (typeof written === 'object' && written !== null ? written : {}) as Readonly<Record<string, unknown>>;
  const { kid } = given;
  if (typeof kid !== 'string' || !kidPattern.test(kid)) {
    throw new SettingInvalid(`${name} has a key whose kid is not 1 to 64 of A-Z a-z 0-9 _ . -`);
  }
  const key = Object.fromEntries(members.map((member) => [member, given[member]]));
  if (isKey(key)) return key;
  throw new SettingInvalid(`${name} ${kid} must be a private key on the curve P-256, as a JWK`);
};

const keysIn = (text: string): readonly unknown[] => {
  try {
    const { keys } = JSON.parse(text) as Readonly<{ keys?: unknown }>;
    return Array.isArray(keys) ? keys : [];
  } catch {
    return [];
  }
};

/** `{"keys":[…]}`, newest first. What is wrong is told by name and kid, and never shown. */
export const keySet = (env: Environment, name: string): KeySet => {
  const text = optional(env, name);
  if (text === undefined) throw new SettingInvalid(`${name} must be set`);
  const [first, ...others] = keysIn(text).map((written) => keyFrom(name, written));
  if (first === undefined) throw new SettingInvalid(`${name} must be a JWK set: {"keys":[…]}`);
  const kids = [first, ...others].map(({ kid }) => kid);
  const twice = kids.find((kid, n) => kids.indexOf(kid) !== n);
  if (twice !== undefined) throw new SettingInvalid(`${name} has two keys of the kid ${twice}`);
  return [first, ...others];
};
