import type { FieldError } from './problem.ts';

export type Parsed<T> = Readonly<{ ok: true; value: T }> | Readonly<{ ok: false; message: string }>;

/** Reads one query parameter; `undefined`: the request does not have it. */
export type Parameter<T> = (text: string | undefined) => Parsed<T>;

/** The query parameters of one route, by name. */
export type Shape = Readonly<Record<string, Parameter<unknown>>>;
export type ValuesOf<S extends Shape> = { readonly [K in keyof S]: S[K] extends Parameter<infer T> ? T : never };

const valid = <T>(value: T): Parsed<T> => ({ ok: true, value });
const invalid = (message: string): Parsed<never> => ({ ok: false, message });

const optionally =
  <T>(parse: (text: string) => Parsed<T>): Parameter<T | undefined> =>
  (text) =>
    text === undefined ? valid(undefined) : parse(text);

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => uuidPattern.test(text);

export const uuid: Parameter<string | undefined> = optionally((text) =>
  isUuid(text) ? valid(text.toLowerCase()) : invalid('must be a UUID'),
);

export const choice = <T extends string>(choices: readonly T[]): Parameter<T | undefined> =>
  optionally((text) => {
    const found = choices.find((candidate) => candidate === text);
    return found === undefined ? invalid(`must be one of ${choices.join(', ')}`) : valid(found);
  });

export const choiceOr = <T extends string>(choices: readonly T[], fallback: T): Parameter<T> => {
  const parse = choice(choices);
  return (text) => {
    const parsed = parse(text);
    return parsed.ok ? valid(parsed.value ?? fallback) : parsed;
  };
};

/** A whole number of at least 1. */
export const limit =
  (fallback: number, max: number): Parameter<number> =>
  (text) => {
    if (text === undefined) return valid(fallback);
    const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    return value >= 1 && value <= max ? valid(value) : invalid(`must be a whole number from 1 to ${max}`);
  };

export const isDate = (text: string): boolean => {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined || year === '0000') return false;
  // A day that the month does not have comes back as another date.
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
};

export const date: Parameter<string | undefined> = optionally((text) =>
  isDate(text) ? valid(text) : invalid('must be a date, YYYY-MM-DD'),
);

const dateTimePattern = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/;

export const isDateTime = (text: string): boolean => isDate(dateTimePattern.exec(text)?.[1] ?? '');

/** Stays text: a JavaScript Date would lose the microseconds. */
export const dateTime: Parameter<string | undefined> = optionally((text) =>
  isDateTime(text) ? valid(text) : invalid('must be an ISO 8601 timestamp with a time zone'),
);

export const pattern = (expression: RegExp, message: string): Parameter<string | undefined> =>
  optionally((text) => (expression.test(text) ? valid(text) : invalid(message)));

/** Free text. Postgres keeps no NUL in a text. */
export const text = (lengthMax: number): Parameter<string | undefined> =>
  optionally((written) =>
    written.length >= 1 && written.length <= lengthMax && !written.includes('\0')
      ? valid(written)
      : invalid(`must be 1 to ${lengthMax} characters`),
  );

/** Opaque here; whoever reads it decides whether it is one of ours. */
export const cursor: Parameter<string | undefined> = (written) => valid(written);

/** `a,b`: the names asked for, each once; undefined: all of them. */
export const fieldNames = (known: readonly string[]): Parameter<readonly string[] | undefined> =>
  optionally((written) => {
    const names = [...new Set(written.split(','))];
    const unknown = names.filter((name) => !known.includes(name));
    return unknown.length === 0 ? valid(names) : invalid(`has no such field: ${unknown.join(', ').slice(0, 200)}`);
  });

export type ParsedQuery<S extends Shape> =
  Readonly<{ ok: true; values: ValuesOf<S> }> | Readonly<{ ok: false; errors: readonly FieldError[] }>;

/** Reads a whole query string, as the HTTP server split it. Every fault is told, not only the first. */
export const parseQuery = <S extends Shape>(shape: S, raw: Readonly<Record<string, unknown>>): ParsedQuery<S> => {
  const errors: FieldError[] = Object.keys(raw)
    .filter((name) => !Object.hasOwn(shape, name))
    .map((name) => ({ path: name.slice(0, 100), message: 'is not a parameter of this endpoint' }));
  const values: Record<string, unknown> = {};
  for (const [name, parse] of Object.entries(shape)) {
    const written = Object.hasOwn(raw, name) ? raw[name] : undefined;
    const parsed =
      written === undefined || typeof written === 'string' ? parse(written) : invalid('must be given only once');
    if (parsed.ok) values[name] = parsed.value;
    else errors.push({ path: name, message: parsed.message });
  }
  return errors.length === 0 ? { ok: true, values: values as ValuesOf<S> } : { ok: false, errors };
};
