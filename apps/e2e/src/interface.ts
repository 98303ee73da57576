import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Schema = Readonly<Record<string, unknown>>;

export type Parameter = Readonly<{
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}>;

/** One operation of the document. */
export type Operation = Readonly<{
  id: string;
  method: string;
  path: string;
  scope: string | null;
  parameters: readonly Parameter[];
  /** Every shape that a JSON body may have; none: it takes no body. */
  bodies: readonly Schema[];
  /** Types of the errors that it may be answered with. */
  errors: readonly string[];
}>;

type Content = Readonly<Record<string, Readonly<{ schema: Schema }>>>;
type Response = Readonly<{ $ref?: string; content?: Content }>;

type Told = Readonly<{
  operationId: string;
  'x-required-scope'?: string;
  parameters: readonly Parameter[];
  responses: Readonly<Record<string, Response>>;
  requestBody?: Readonly<{ content: Readonly<Record<string, Readonly<{ schema: Schema }>>> }>;
}>;

type Document = Schema & {
  paths: Readonly<Record<string, Readonly<Record<string, Told>>>>;
  components: Readonly<{ schemas: Readonly<Record<string, Schema>>; responses: Readonly<Record<string, Response>> }>;
};

const file = join(import.meta.dirname, '..', '..', '..', 'docs', 'openapi.json');
export const document = JSON.parse(readFileSync(file, 'utf8')) as Document;

/** A schema with its reference followed. */
export const resolved = (schema: Schema): Schema => {
  const ref = schema['$ref'];
  return typeof ref === 'string' ? (document.components.schemas[ref.split('/').at(-1) ?? ''] ?? {}) : schema;
};

const shapesOf = (schema: Schema): readonly Schema[] => {
  const whole = resolved(schema);
  return Array.isArray(whole['oneOf']) ? whole['oneOf'].flatMap((each: Schema) => shapesOf(each)) : [whole];
};

const errorsOf = (response: Response): readonly string[] => {
  const { content } = document.components.responses[response.$ref?.split('/').at(-1) ?? ''] ?? response;
  const schemas = (content?.['application/json']?.schema['allOf'] ?? []) as readonly Schema[];
  return schemas.flatMap(
    ({ properties }) => (properties as { type?: { enum: string[] } } | undefined)?.type?.enum ?? [],
  );
};

/** Everything that is served, as the document tells it. */
export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, told]) => {
    const json = told.requestBody?.content['application/json'];
    return {
      ...{ id: told.operationId, method: method.toUpperCase(), path, scope: told['x-required-scope'] ?? null },
      ...{ parameters: told.parameters, bodies: json === undefined ? [] : shapesOf(json.schema) },
      errors: Object.values(told.responses).flatMap(errorsOf),
    };
  }),
);

export const membersOf = (shape: Schema): readonly (readonly [string, Schema])[] =>
  Object.entries((shape['properties'] ?? {}) as Readonly<Record<string, Schema>>).map(([name, schema]) => [
    name,
    resolved(schema),
  ]);

/** What a schema says of a value that may also be null. */
const core = (schema: Schema): Schema => {
  const [first] = (schema['anyOf'] ?? [schema]) as readonly Schema[];
  return resolved(first ?? schema);
};

const byFormat: Readonly<Record<string, string>> = {
  ...{ uuid: 'no-uuid', date: '2026-02-30', 'date-time': '2026-01-01', email: 'nobody' },
};

/** Texts that break one rule of a schema each. */
export const badTexts = (schema: Schema): readonly string[] => {
  const { format, pattern, maxLength, minLength, minimum, maximum } = schema as Readonly<Record<string, never>>;
  const { enum: values = (schema['items'] as Schema | undefined)?.['enum'] } = schema;
  return [
    ...(format === undefined ? [] : [byFormat[format] ?? '']),
    ...(values === undefined ? [] : ['no-such-value']),
    ...(pattern === undefined ? [] : ['\u0000 !']),
    ...(maxLength === undefined ? [] : ['x'.repeat(Number(maxLength) + 1)]),
    ...(Number(minLength ?? 0) > 0 ? [''] : []),
    ...(minimum === undefined ? [] : [String(Number(minimum) - 1), 'x', '1.5']),
    ...(maximum === undefined ? [] : [String(Number(maximum) + 1)]),
  ];
};

const wrongTypes: Readonly<Record<string, unknown>> = {
  string: 5,
  boolean: 'true',
  object: [],
  array: {},
  integer: 'x',
};

/** Values of a member of a body that break one rule each, of its type first. */
export const badValues = (schema: Schema): readonly unknown[] => {
  const { type, maxItems, minItems, const: only, items } = core(schema) as Readonly<Record<string, never>>;
  return [
    wrongTypes[type ?? 'string'],
    ...(only === undefined ? badTexts(core(schema)) : ['no-such-value']),
    ...(maxItems === undefined ? [] : [Array.from({ length: Number(maxItems) + 1 }, (_, n) => `${n}@a.example`)]),
    ...(Number(minItems ?? 0) > 0 ? [[]] : []),
    ...(items === undefined ? [] : [[5]]),
  ];
};
