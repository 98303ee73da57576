import { plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import type { FieldError } from './problem.ts';

export type ParsedBody<B extends object> =
  Readonly<{ ok: true; body: B }> | Readonly<{ ok: false; errors: readonly FieldError[] }>;

const unknownMember = 'whitelistValidation';

/** class-validator puts the property's name before its message; the path says it already. */
const worded = (property: string, rule: string, message: string): string =>
  rule === unknownMember ? 'is not a field of this request' : message.replace(`${property} `, '');

const errorsOf = (faults: readonly ValidationError[], parent = ''): readonly FieldError[] =>
  faults.flatMap(({ property, constraints = {}, children = [] }) => {
    const path = parent === '' ? property : `${parent}.${property}`;
    const own = Object.entries(constraints).map(([rule, message]) => ({
      path,
      message: worded(property, rule, message),
    }));
    return [...own, ...errorsOf(children, path)];
  });

/** Far more than any body of ours; keeps what walks a body from running out of stack. */
const depthMax = 32;

/** What no body may hold, wherever it stands. Postgres keeps no NUL, neither in a text nor in JSON. */
const unstorable = (value: unknown, path: readonly string[] = []): FieldError | undefined => {
  if (typeof value === 'string') {
    return value.includes('\0') ? { path: path.join('.'), message: 'must not contain NUL' } : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (path.length >= depthMax) return { path: path[0] ?? '', message: `is nested deeper than ${depthMax} levels` };
  for (const [name, member] of Object.entries(value)) {
    if (name.includes('\0')) return { path: path.join('.'), message: 'must not contain NUL' };
    const found = unstorable(member, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** A body that is an object of the shape and of nothing more becomes the shape; all else is told by field. */
export const parseBody = async <B extends object>(shape: new () => B, raw: unknown): Promise<ParsedBody<B>> => {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return { ok: false, errors: [{ path: '', message: 'The body must be a JSON object.' }] };
  }
  const fault = unstorable(raw);
  if (fault !== undefined) return { ok: false, errors: [fault] };
  const body = plainToInstance(shape, raw);
  const faults = await validate(body, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true });
  return faults.length === 0 ? { ok: true, body } : { ok: false, errors: errorsOf(faults) };
};

/** For a route without a body: none, or an empty object, which some clients send of themselves. */
export const parseNoBody = (raw: unknown): readonly FieldError[] => {
  if (raw === undefined || raw === null) return [];
  if (typeof raw !== 'object' || Array.isArray(raw)) return [{ path: '', message: 'The request takes no body.' }];
  return Object.keys(raw).map((path) => ({ path, message: 'is not a field of this request' }));
};
