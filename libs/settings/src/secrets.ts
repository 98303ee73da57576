import { list, SettingInvalid, type Environment } from './settings.ts';

/** One of the secrets that serve one purpose. */
export type Secret = Readonly<{ id: string; key: Buffer }>;

/** The first is the one in use; what was made under another holds while that is listed. */
export type SecretRing = readonly [Secret, ...Secret[]];

const idPattern = /^[A-Za-z0-9_.-]{1,32}$/;
const keyBytes = 32;
/** Of the only one, or the first, that has not been given one. */
const bareId = '1';

const keyFrom = (text: string): Buffer | undefined => {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  const key = Buffer.from(text, 'base64');
  return key.length === keyBytes && /^[A-Za-z0-9+/]{43}=?$/.test(text) ? key : undefined;
};

const secretFrom = (name: string, written: string): Secret => {
  const at = written.indexOf(':');
  const id = at < 0 ? bareId : written.slice(0, at);
  if (!idPattern.test(id)) throw new SettingInvalid(`${name} has an id that is not 1 to 32 of A-Z a-z 0-9 _ . -`);
  const key = keyFrom(written.slice(at + 1));
  if (key === undefined) {
    throw new SettingInvalid(
      `${name} ${id} must be 32 bytes, written as 64 hex digits or in base64: openssl rand -hex 32`,
    );
  }
  return { id, key };
};

/** `id:key`, newest first, with commas between. What is wrong is told by name and id, and never shown. */
export const secretRing = (env: Environment, name: string): SecretRing => {
  const [first, ...others] = list(env, name).map((written) => secretFrom(name, written));
  if (first === undefined) throw new SettingInvalid(`${name} must be set`);
  const ids = [first, ...others].map(({ id }) => id);
  const twice = ids.find((id, n) => ids.indexOf(id) !== n);
  if (twice !== undefined) throw new SettingInvalid(`${name} has two keys of the id ${twice}`);
  return [first, ...others];
};
