/** How a column is kept. `timestamptz` holds microseconds; amounts are `numeric`, exact, at the scale they came in. */
export type ColumnType = 'boolean' | 'date' | 'jsonb' | 'numeric' | 'text' | 'text[]' | 'timestamptz' | 'uuid';

/** The columns of a read model by the names of its row, in the order in which its view lists them. */
export type Columns<Row extends object> = Readonly<Record<keyof Row & string, ColumnType>>;

/** `postedDate` in the row and in the response, `posted_date` in SQL: converted here and nowhere else. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const columnNames = (columns: Readonly<Record<string, ColumnType>>): readonly string[] =>
  Object.keys(columns).map(snakeCase);

/** `entity_id AS "entityId", …`: what a SELECT lists so that the driver's rows are rows of ours. */
export const rowSelectList = (columns: Readonly<Record<string, ColumnType>>): string =>
  Object.keys(columns)
    .map((name) => `${snakeCase(name)} AS "${name}"`)
    .join(', ');
