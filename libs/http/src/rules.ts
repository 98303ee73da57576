import { IsIn, ValidateBy, ValidateIf } from 'class-validator';
import { isDate, isDateTime, isUuid } from './formats.ts';

/** A JSON Schema, draft 2020-12, which is also OpenAPI 3.1's. */
export type JsonSchema = Readonly<{ [keyword: string]: unknown }>;

/**
 * A rule of ours, and what it is in JSON Schema: the document of the interface is folded from the rules that refuse.
 * `message` follows the name of the member.
 */
export const rule = (
  name: string,
  isGood: (value: unknown) => boolean,
  message: string,
  schema: JsonSchema,
): PropertyDecorator =>
  ValidateBy({
    name,
    constraints: [schema],
    validator: { validate: isGood, defaultMessage: () => `$property ${message}` },
  });

type Reading = (text: string) => unknown;

const readings = new WeakMap<object, Map<string | symbol, Reading>>();

/** How the text of a query parameter becomes the value that the rules are for; what is no such text stays as it is. */
const Reads =
  (reading: Reading): PropertyDecorator =>
  (prototype, name) => {
    const known = readings.get(prototype) ?? new Map<string | symbol, Reading>();
    readings.set(prototype, known.set(name, reading));
  };

export const readingOf = (prototype: object, name: string): Reading | undefined => readings.get(prototype)?.get(name);

const all =
  (...decorators: readonly PropertyDecorator[]): PropertyDecorator =>
  (prototype, name) =>
    decorators.forEach((decorate) => decorate(prototype, name));

const text =
  (isGood: (text: string) => boolean) =>
  (value: unknown): boolean =>
    typeof value === 'string' && isGood(value);

/** May be left out. Null is a value, and is refused where the contract does not name it. */
export const MayBeLeftOut = (): PropertyDecorator => ValidateIf((_, value: unknown) => value !== undefined);

/** In lower case, as ours are: a UUID means the same in any. */
export const IsUuid = (): PropertyDecorator =>
  all(
    Reads((written) => (isUuid(written) ? written.toLowerCase() : written)),
    rule('isUuid', text(isUuid), 'must be a UUID', { type: 'string', format: 'uuid' }),
  );

export const IsCalendarDate = (): PropertyDecorator =>
  rule('isCalendarDate', text(isDate), 'must be a date, YYYY-MM-DD', { type: 'string', format: 'date' });

/** Stays text: a JavaScript Date would lose the microseconds. */
export const IsTimestamp = (): PropertyDecorator =>
  rule('isTimestamp', text(isDateTime), 'must be an ISO 8601 timestamp with a time zone', {
    type: 'string',
    format: 'date-time',
  });

export const IsCurrency = (): PropertyDecorator =>
  rule(
    'isCurrency',
    text((written) => /^[A-Z0-9]{3,12}$/.test(written)),
    'must be a currency or asset code',
    {
      type: 'string',
      pattern: '^[A-Z0-9]{3,12}$',
    },
  );

export const IsOneOf = (choices: readonly string[]): PropertyDecorator =>
  IsIn([...choices], { message: `$property must be one of ${choices.join(', ')}` });

export const IsText = (lengthMax: number): PropertyDecorator =>
  rule(
    'isText',
    text(({ length }) => length >= 1 && length <= lengthMax),
    `must be 1 to ${lengthMax} characters`,
    { type: 'string', minLength: 1, maxLength: lengthMax },
  );

/** The page size of a list: a whole number. The member's initial value is the default. */
export const IsLimit = (max: number): PropertyDecorator =>
  all(
    Reads((written) => (/^\d{1,6}$/.test(written) ? Number(written) : written)),
    rule(
      'isLimit',
      (value) => typeof value === 'number' && value >= 1 && value <= max,
      `must be a whole number from 1 to ${max}`,
      { type: 'integer', minimum: 1, maximum: max },
    ),
  );

/** Opaque; whoever opens it decides whether it is one of ours. */
export const IsCursor = (): PropertyDecorator =>
  all(
    MayBeLeftOut(),
    rule(
      'isCursor',
      text(() => true),
      'must be text',
      { type: 'string' },
    ),
  );

/** `a,b`: the names asked for, each once; left out: all of them. */
export const IsFieldList = (known: readonly string[]): PropertyDecorator =>
  all(
    MayBeLeftOut(),
    Reads((written) => [...new Set(written.split(','))]),
    rule(
      'isFieldList',
      (value) => Array.isArray(value) && value.every((name: string) => known.includes(name)),
      `must name fields of this resource, separated by commas: ${known.join(', ')}`,
      { type: 'array', minItems: 1, items: { type: 'string', enum: known } },
    ),
  );

const keywords = new WeakMap<object, JsonSchema>();

/** What a class is in JSON Schema beside its members' rules. */
export const AlsoSchema =
  (schema: JsonSchema): ClassDecorator =>
  (shape) =>
    void keywords.set(shape, schema);

export const keywordsOf = (shape: object): JsonSchema => keywords.get(shape) ?? {};
