import { snakeCase } from './columns.ts';

/**
 * How a member is written in JSON. `decimal`: the exact text of a NUMERIC. `millis`, `micros`: UTC, to that digit;
 * `micros` is never null.
 */
export type FieldType = 'date' | 'decimal' | 'json' | 'micros' | 'millis' | 'text' | 'uuid';

/** One member of a resource. */
export type Field = Readonly<{
  name: string;
  type: FieldType;
  /** Always shown, whatever `fields` asks for, and never null. */
  identifier?: true;
  /** The expression over the owner's columns, for a member that Postgres renders and that has no column of its own. */
  derived?: string;
  /** Its name in the answer to the read of a single one, where the contract gives it another. */
  singleName?: string;
  /** Not in the answer to the read of a single one. */
  listOnly?: true;
  /** All that it may be. */
  values?: readonly string[];
  nullable?: true;
  /** What it is in JSON Schema, where its type does not say all. */
  schema?: Readonly<Record<string, unknown>>;
}>;

/** The two shapes of a resource. */
export type FieldShape = 'list' | 'single';

const asIs = (column: string): string => column;

/** Sessions run in UTC. */
const rendered: Readonly<Record<FieldType, (column: string) => string>> = {
  date: asIs,
  // As a string: never a JSON number, which a client may read as a float.
  decimal: (column) => `${column}::text`,
  json: asIs,
  micros: (column) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  millis: (column) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  text: asIs,
  uuid: asIs,
};

/** What the view selects from the owner's table for this member. */
export const viewColumn = ({ name, derived }: Field): string =>
  derived === undefined ? snakeCase(name) : `${derived} AS ${snakeCase(name)}`;

const nameIn = (shape: FieldShape, { name, singleName }: Field): string =>
  shape === 'single' ? (singleName ?? name) : name;

const inShape = (fields: readonly Field[], shape: FieldShape): readonly Field[] =>
  fields.filter(({ listOnly }) => shape === 'list' || listOnly !== true);

/** The members of a shape, by the names that they have in it. */
export const fieldsIn = (fields: readonly Field[], shape: FieldShape) =>
  inShape(fields, shape).map((field) => ({ name: nameIn(shape, field), field }));

/** What the parameter `fields` may name. */
export const fieldNamesOf = (fields: readonly Field[], shape: FieldShape): readonly string[] =>
  fieldsIn(fields, shape).map(({ name }) => name);

type Member = Readonly<{ name: string; mark: '' | '"'; sql: string }>;

/** What is never null and never needs escaping stands between plain quotes: each look costs 0.2 µs, for every row. */
const memberIn = (shape: FieldShape, field: Field): Member => {
  const name = nameIn(shape, field);
  const sql = rendered[field.type](`row.${snakeCase(field.name)}`);
  return field.identifier === true || field.type === 'micros'
    ? { name, mark: '"', sql }
    : { name, mark: '', sql: `coalesce(JSON_SCALAR(${sql}), 'null')` };
};

const objectText = (members: readonly Member[]): string => {
  const before = (n: number): string => (n === 0 ? '{' : `${members[n - 1]?.mark},`);
  const parts = members.map(({ name, mark, sql }, n) => `'${before(n)}"${name}":${mark}', ${sql}`);
  return `concat(${parts.join(', ')}, '${members.at(-1)?.mark}}')`;
};

/**
 * The JSON text of one row of the view, called `row`. `asked`: what `fields` names, undefined for all. Written member by
 * member: row_to_json looks up the type of every column again for every row, which is most of what a page costs.
 */
export const rowJson = (fields: readonly Field[], shape: FieldShape) => {
  const members = inShape(fields, shape).map((field) => ({ field, member: memberIn(shape, field) }));
  const whole = objectText(members.map(({ member }) => member));
  return (asked: readonly string[] | undefined): string => {
    if (asked === undefined) return whole;
    const shown = members.filter(({ field, member }) => field.identifier === true || asked.includes(member.name));
    return objectText(shown.map(({ member }) => member));
  };
};
