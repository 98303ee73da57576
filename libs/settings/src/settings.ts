/** A setting that is missing or cannot be read; names the variable, never its value. */
export class SettingInvalid extends Error {}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads one variable. `undefined` when it is unset or empty. */
const read = (env: Environment, name: string): string | undefined => {
  const text = env[name]?.trim();
  return text === undefined || text === '' ? undefined : text;
};

export const required = (env: Environment, name: string): string => {
  const text = read(env, name);
  if (text === undefined) throw new SettingInvalid(`${name} must be set`);
  return text;
};

export const optional = (env: Environment, name: string): string | undefined => read(env, name);

export const text = (env: Environment, name: string, fallback: string): string => read(env, name) ?? fallback;

export type Bounds = Readonly<{ min: number; max: number }>;

export const integer = (env: Environment, name: string, fallback: number, { min, max }: Bounds): number => {
  const written = read(env, name);
  if (written === undefined) return fallback;
  const value = Number(written);
  if (!/^-?\d+$/.test(written) || value < min || value > max) {
    throw new SettingInvalid(`${name} must be a whole number from ${min} to ${max}`);
  }
  return value;
};

export const optionalInteger = (env: Environment, name: string, bounds: Bounds): number | undefined =>
  read(env, name) === undefined ? undefined : integer(env, name, bounds.min, bounds);

export const oneOf = <T extends string>(env: Environment, name: string, fallback: T, choices: readonly T[]): T => {
  const written = read(env, name);
  if (written === undefined) return fallback;
  const choice = choices.find((candidate) => candidate === written);
  if (choice === undefined) throw new SettingInvalid(`${name} must be one of ${choices.join(', ')}`);
  return choice;
};

/** A comma-separated list; empty when unset. */
export const list = (env: Environment, name: string): readonly string[] =>
  (read(env, name) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
