/** What the driver is given. Equal texts are the same prepared statement. */
export type Query = Readonly<{ text: string; values: readonly unknown[] }>;

/** A predicate with one value, left out of the query when the value is undefined; or one without (`type` null). */
export type Condition = Readonly<{ sql: (place: string) => string; type: string | null; value: string | undefined }>;

export const equals = (column: string, type: string, value: string | undefined): Condition => ({
  sql: (place) => `${column} = ${place}`,
  type,
  value,
});

export const atLeast = (column: string, type: string, value: string | undefined): Condition => ({
  sql: (place) => `${column} >= ${place}`,
  type,
  value,
});

export const below = (column: string, type: string, value: string | undefined): Condition => ({
  sql: (place) => `${column} < ${place}`,
  type,
  value,
});

export const atMost = (column: string, type: string, value: string | undefined): Condition => ({
  sql: (place) => `${column} <= ${place}`,
  type,
  value,
});

export const above = (column: string, type: string, value: string | undefined): Condition => ({
  sql: (place) => `${column} > ${place}`,
  type,
  value,
});

/** As it stands: what names a partial index. */
export const holds = (predicate: string): Condition => ({ sql: () => predicate, type: null, value: undefined });

export const isAsked = ({ type, value }: Condition): boolean => type === null || value !== undefined;

/** Whose rows: in every query there is. */
export type Owner = Readonly<{ organization: string; environment: string }>;

export const ownedBy = ({ organization, environment }: Owner): readonly Condition[] => [
  equals('organization', 'text', organization),
  equals('environment', 'text', environment),
];

/** The conditions that are asked for, of which there is one at least; their values are added to `values`. */
export const allOf = (conditions: readonly Condition[], values: unknown[]): string =>
  conditions
    .filter(isAsked)
    .map(({ sql, type, value }) => sql(type === null ? '' : `$${values.push(value)}::${type}`))
    .join(' AND ');

export const where = (conditions: readonly Condition[], values: unknown[]): string =>
  `WHERE ${allOf(conditions, values)}`;
