import { validateSync, type ValidationError } from 'class-validator';
import type { FieldError } from './problem.ts';
import { chosen, isNoField, isObject, shaped, type Shape } from './shape.ts';

/** What the outside sent, as the shape that was declared for it, or everything that is wrong with it. */
export type Parsed<B extends object> =
  Readonly<{ ok: true; value: B }> | Readonly<{ ok: false; errors: readonly FieldError[] }>;

/** Says what `IsObject` beside it says. */
const noNested = 'nestedValidation';

/** class-validator puts the property's name into its message; the path says it already. */
const worded = (property: string, message: string): string =>
  message.replace(`each value in ${property} `, 'each value ').replace(`${property} `, '');

const errorsOf = (faults: readonly ValidationError[], parent = ''): readonly FieldError[] =>
  faults.flatMap(({ property, constraints = {}, children = [] }) => {
    const path = parent === '' ? property : `${parent}.${property}`;
    const own = Object.entries(constraints)
      .filter(([rule]) => rule !== noNested)
      .map(([, message]) => ({ path, message: worded(property, message) }));
    return [...own, ...errorsOf(children, path)];
  });

/** Far more than any body of ours; keeps what walks a body from running out of stack. */
const depthMax = 32;

/** Postgres keeps no NUL, neither in a text nor in JSON. Half of a surrogate pair is no text in UTF-8. */
const faultOfText = (text: string): string | undefined => {
  if (text.includes('\0')) return 'must not contain NUL';
  return /\p{Surrogate}/u.test(text) ? 'must be well-formed Unicode' : undefined;
};

/** A name that would set what an object inherits is not let in, not even where the rest is opaque. */
const faultOfName = (name: string): string | undefined =>
  name === '__proto__' ? 'must not be named so' : faultOfText(name);

/** Where a number stands for more than it says: `1e400` was read as infinite, and would be kept as null. */
const faultOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return faultOfText(value);
  return value === Infinity || value === -Infinity ? 'must be a number that a double can hold' : undefined;
};

/** What no body may hold, wherever it stands. */
const unstorable = (value: unknown, path: readonly string[] = []): FieldError | undefined => {
  const fault = faultOf(value);
  if (fault !== undefined) return { path: path.join('.'), message: fault };
  if (typeof value !== 'object' || value === null) return undefined;
  if (path.length >= depthMax) return { path: path[0] ?? '', message: `is nested deeper than ${depthMax} levels` };
  for (const [name, member] of Object.entries(value)) {
    const message = faultOfName(name);
    if (message !== undefined) return { path: [...path, name].join('.'), message };
    const found = unstorable(member, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
};

/**
 * A body that is an object of the shape and of nothing more becomes the shape; all else is told by field. Undeclared names
 * are refused before anything is looked into.
 */
export const parseBody = <B extends object>(declared: Shape<B>, raw: unknown): Parsed<B> => {
  if (!isObject(raw)) return { ok: false, errors: [{ path: '', message: 'The body must be a JSON object.' }] };
  const { shape, errors: unchosen } = chosen(declared, raw);
  if (shape === undefined) return { ok: false, errors: unchosen };
  const { value, errors } = shaped(shape, raw);
  return judged(value, errors);
};

/** A query string as the HTTP server split it. */
export const parseQuery = <Q extends object>(shape: Shape<Q>, raw: object): Parsed<Q> => {
  const { value, errors } = shaped(shape, raw, { fromText: true });
  return judged(value, errors);
};

/** For a route without parameters. */
export const faultsOfNoQuery = (raw: object): readonly FieldError[] =>
  Object.keys(raw).map((name) => isNoField(name, true));

const judged = <V extends object>(value: V, errors: readonly FieldError[]): Parsed<V> => {
  const fault = unstorable(value);
  if (fault !== undefined) return { ok: false, errors: [...errors, fault] };
  const named = new Set(errors.map(({ path }) => path));
  const broken = errorsOf(validateSync(value, { forbidUnknownValues: true })).filter(({ path }) => !named.has(path));
  const all = [...errors, ...broken];
  return all.length === 0 ? { ok: true, value } : { ok: false, errors: all };
};

/** For a route without a body: none, or an empty object, which some clients send of themselves. */
export const faultsOfNoBody = (raw: unknown): readonly FieldError[] => {
  if (raw === undefined || raw === null) return [];
  if (!isObject(raw)) return [{ path: '', message: 'The request takes no body.' }];
  return Object.keys(raw).map((name) => isNoField(name));
};
