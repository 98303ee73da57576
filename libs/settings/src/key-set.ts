import {
  createECDH,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  type KeyObject,
} from 'node:crypto';
import { optional, SettingInvalid, type Environment } from './settings.ts';

export type Curve = 'P-256' | 'Ed25519';

/** A private key (RFC 7517), known by its `kid`; `d` is what is secret of it. Only a point on P-256 has a `y`. */
export type PrivateJwk = Readonly<{ kty: 'EC' | 'OKP'; crv: Curve; x: string; y?: string; d: string; kid: string }>;

/** The first is the one in use; what was made under another holds while that is listed. */
export type KeySet = readonly [PrivateJwk, ...PrivateJwk[]];

const kidPattern = /^[A-Za-z0-9_.-]{1,64}$/;
const members = {
  'P-256': ['kty', 'crv', 'x', 'y', 'd', 'kid'],
  Ed25519: ['kty', 'crv', 'x', 'd', 'kid'],
} as const satisfies Readonly<Record<Curve, readonly (keyof PrivateJwk)[]>>;

const newKey = (curve: Curve): KeyObject =>
  curve === 'Ed25519'
    ? generateKeyPairSync('ed25519').privateKey
    : generateKeyPairSync('ec', { namedCurve: curve }).privateKey;

/** A new set of one key, as a setting holds it. */
export const newKeySet = (curve: Curve): string => {
  const privateKey = newKey(curve);
  return JSON.stringify({ keys: [{ ...privateKey.export({ format: 'jwk' }), kid: randomUUID() }] });
};

/** The coordinates of what is public of it, from what is secret alone: a set that was put together wrongly signs in vain. */
const coordinatesOf = ({ crv, d, ...jwk }: PrivateJwk): readonly (string | undefined)[] => {
  if (crv === 'Ed25519') {
    const { x } = createPublicKey(createPrivateKey({ key: { crv, d, ...jwk }, format: 'jwk' })).export({
      format: 'jwk',
    });
    return [x, undefined];
  }
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(d, 'base64url');
  const point = pair.getPublicKey();
  return [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
};

const isKey = (jwk: PrivateJwk): boolean => {
  try {
    createPrivateKey({ key: jwk, format: 'jwk' });
    const [x, y] = coordinatesOf(jwk);
    return x === jwk.x && y === jwk.y;
  } catch {
    return false;
  }
};

const keyFrom = (name: string, curves: readonly Curve[], written: unknown): PrivateJwk => {
  const given = (typeof written === 'object' && written !== null ? written : {}) as Readonly<Record<string, unknown>>;
  const { kid } = given;
  if (typeof kid !== 'string' || !kidPattern.test(kid)) {
    throw new SettingInvalid(`${name} has a key whose kid is not 1 to 64 of A-Z a-z 0-9 _ . -`);
  }
  const curve = curves.find((one) => one === given['crv']);
  const key = Object.fromEntries((curve ? members[curve] : []).map((member) => [member, given[member]]));
  if (curve !== undefined && isKey(key as PrivateJwk)) return key as PrivateJwk;
  throw new SettingInvalid(`${name} ${kid} must be a private key on the curve ${curves.join(' or ')}, as a JWK`);
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
export const keySet = (env: Environment, name: string, curves: readonly Curve[] = ['P-256']): KeySet => {
  const text = optional(env, name);
  if (text === undefined) throw new SettingInvalid(`${name} must be set`);
  const [first, ...others] = keysIn(text).map((written) => keyFrom(name, curves, written));
  if (first === undefined) throw new SettingInvalid(`${name} must be a JWK set: {"keys":[…]}`);
  const kids = [first, ...others].map(({ kid }) => kid);
  const twice = kids.find((kid, n) => kids.indexOf(kid) !== n);
  if (twice !== undefined) throw new SettingInvalid(`${name} has two keys of the kid ${twice}`);
  return [first, ...others];
};
