import { snakeCase } from './columns.ts';

/** How a member is written in JSON. `decimal`: the exact text of a NUMERIC. `micros`: UTC with microseconds. */
export type FieldType = 'date' | 'decimal' | 'micros' | 'text' | 'uuid';

/** One member of a resource that Postgres renders. */
export type Field = Readonly<{
  name: string;
  type: FieldType;
  /** Always shown, whatever `fields` asks for. */
  identifier?: true;
  /** The expression over the owner's columns, for a member that has no column of its own. */
  derived?: string;
  /** Its name in the answer to the read of a single one, where the contract gives it another. */
  singleName?: string;
}>;

const rendered: Readonly<Record<FieldType, (column: string) => string>> = {
  date: (column) => column,
  // Casting says the same as to_json for NUMERIC, but as a string: never a JSON number.
  decimal: (column) => `${column}::text`,
  micros: (column) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  text: (column) => column,
  uuid: (column) => column,
};

/** What the view selects from the owner's table for this member. */
export const viewColumn = ({ name, derived }: Field): string =>
  derived === undefined ? snakeCase(name) : `${derived} AS ${snakeCase(name)}`;

/** What a query selects from the view, so that row_to_json makes the member. Sessions run in UTC. */
export const jsonColumn = ({ name, type }: Field, shownAs = name): string =>
  `${rendered[type](snakeCase(name))} AS "${shownAs}"`;
