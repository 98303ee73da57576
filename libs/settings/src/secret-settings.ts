import { randomBytes } from 'node:crypto';
import { keySet, newKeySet, type Curve, type KeySet } from './key-set.ts';
import { secretRing, type Secret, type SecretRing } from './secrets.ts';
import { secretsOf, type ServiceName } from './services.ts';
import { SettingInvalid, type Environment } from './settings.ts';

export type SecretSetting = (typeof secretsOf)[ServiceName][number];

/** Every secret there is. */
export const secretSettings: readonly SecretSetting[] = [...new Set(Object.values(secretsOf).flat())];

/** What is named under another secret has another name. */
const neverRotated: readonly SecretSetting[] = ['CAUSEWAY_RESERVATION_SECRET'];

/** Private keys, as a JWK set, and the curves that they may be on, new ones on the first; all others are 32 bytes each. */
const curvesOf = {
  CAUSEWAY_RECEIPT_KEYS: ['Ed25519'],
  CAUSEWAY_SEALING_KEYS: ['P-256'],
  CAUSEWAY_TOKEN_KEYS: ['P-256', 'Ed25519'],
} as const satisfies Partial<Readonly<Record<SecretSetting, readonly [Curve, ...Curve[]]>>>;

export type KeySetting = keyof typeof curvesOf;

const isKeySet = (name: SecretSetting): name is KeySetting => name in curvesOf;

export const keysIn = (env: Environment, name: KeySetting): KeySet => keySet(env, name, curvesOf[name]);

/** One that is made at the first start, as its setting holds it. */
export const newSecret = (name: SecretSetting): string =>
  isKeySet(name) ? newKeySet(curvesOf[name][0]) : randomBytes(32).toString('base64');

const isSecret = (name: string): name is SecretSetting => (secretSettings as readonly string[]).includes(name);

const usedBy = (service: string): readonly SecretSetting[] =>
  Object.hasOwn(secretsOf, service) ? secretsOf[service as ServiceName] : [];

export const secretsIn = (env: Environment, name: SecretSetting): SecretRing => {
  const ring = isKeySet(name) ? ringOf(env, name) : secretRing(env, name);
  if (ring[1] === undefined || !neverRotated.includes(name)) return ring;
  throw new SettingInvalid(`${name} ${ring[1].id} is one too many: it is never rotated`);
};

/** What is secret of the keys of a set, by their `kid`. */
const ringOf = (env: Environment, name: KeySetting): SecretRing => {
  const [first, ...others] = keysIn(env, name).map(({ kid, d }): Secret => ({ id: kid, key: Buffer.from(d) }));
  return [first as Secret, ...others];
};

export type HeldSecrets = ReadonlyMap<SecretSetting, SecretRing>;

/** Those that a service uses. */
export const heldSecrets = (service: string, env: Environment): HeldSecrets =>
  new Map(usedBy(service).map((name) => [name, secretsIn(env, name)]));

/** Where data keys are goes with what opens them. */
const secretOf = (name: string): string => (name.startsWith('CAUSEWAY_KEYS_') ? 'CAUSEWAY_MASTER_KEY' : name);

/** An environment without the secrets that none of these services uses, nor what goes with them. */
export const environmentOf = (services: readonly string[], env: Environment): Environment =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => {
      const secret = secretOf(name);
      return !isSecret(secret) || services.some((service) => usedBy(service).includes(secret));
    }),
  );

/** An environment with nothing of ours in it, for programs of others. */
export const environmentOfOthers = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('CAUSEWAY_')));
