import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Schema = Readonly<Record<string, unknown>>;
type Responses = Readonly<Record<string, Schema>>;
type Document = Readonly<{ paths: Readonly<Record<string, Readonly<Record<string, { responses: Responses }>>>> }>;

const file = join(import.meta.dirname, '..', '..', '..', 'docs', 'openapi.json');

/** Members that the document does not name are refused, where a client of it may tell all of them. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const walked = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, closed(member)]));
  const isWhole = typeof walked['properties'] === 'object' && Array.isArray(walked['required']);
  return isWhole ? { additionalProperties: false, ...walked } : walked;
};

const document = closed(JSON.parse(readFileSync(file, 'utf8'))) as Document & Schema;
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: {
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    date: /^\d{4}-\d\d-\d\d$/,
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.(\d{3}|\d{6})Z$/,
    uri: (text: string) => URL.canParse(text),
    email: true,
  },
});
ajv.addSchema(document, 'openapi.json');

const parameter = /\{\w+\}/g;
const patterns = Object.keys(document.paths)
  // A fixed path goes before one with an id.
  .sort((a, b) => (a.match(parameter)?.length ?? 0) - (b.match(parameter)?.length ?? 0))
  .map((path) => ({ path, pattern: new RegExp(`^${path.replace(parameter, '[^/]+')}$`) }));

const pointer = (...parts: readonly (string | number)[]): string =>
  `openapi.json#/${parts.map((part) => encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;

const compiled = new Map<string, ValidateFunction>();

const schemaAt = (ref: string): ValidateFunction => {
  const known = compiled.get(ref) ?? ajv.compile({ $ref: ref });
  compiled.set(ref, known);
  return known;
};

/** Every operation that was answered with a success, as `METHOD /path/{id}`, in this run of a spec. */
export const succeeded = new Set<string>();
/** Every error that an operation was answered with, as `METHOD /path/{id} type`. */
export const refused = new Set<string>();

/** What an answer is that the document does not tell; undefined: it is as documented. Null for what is documented nowhere. */
export const undocumented = (method: string, url: string, status: number, body: unknown): string | undefined => {
  const path = url.split('?', 1)[0] ?? '';
  const found = patterns.find(({ pattern }) => pattern.test(path));
  const operation = found && document.paths[found.path]?.[method.toLowerCase()];
  // What is served nowhere is answered with 404 or 405: no operation documents that.
  if (found === undefined || operation === undefined) return undefined;
  if (status < 300) succeeded.add(`${method} ${found.path}`);
  else refused.add(`${method} ${found.path} ${String((JSON.parse(String(body)) as Schema)['type'])}`);
  const at = `${method} ${found.path} ${status}`;
  const response = operation.responses[status];
  if (response === undefined) return `${at} is not documented`;
  const named = /^#\/components\/responses\/(.*)$/.exec(String(response['$ref']))?.[1];
  const place =
    named === undefined
      ? ['paths', found.path, method.toLowerCase(), 'responses', status]
      : ['components', 'responses', named];
  const isEmpty = named === undefined && response['content'] === undefined;
  if (isEmpty) return body === '' ? undefined : `${at} has a body`;
  const validate = schemaAt(pointer(...place, 'content', 'application/json', 'schema'));
  return validate(JSON.parse(String(body))) ? undefined : `${at}: ${ajv.errorsText(validate.errors)}`;
};
