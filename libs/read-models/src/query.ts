/** What the driver is given. Equal texts are the same prepared statement. */
export type Query = Readonly<{ text: string; values: readonly unknown[] }>;

/** A predicate with one value. Left out of the query when the value is undefined. */
export type Condition = Readonly<{ sql: (place: string) => string; type: string; value: string | undefined }>;

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

/** Whose rows: in every query there is. */
export type Owner = Readonly<{ organization: string; environment: string }>;

export const ownedBy = ({ organization, environment }: Owner): readonly Condition[] => [
  equals('organization', 'text', organization),
  equals('environment', 'text', environment),
];

/** `WHERE …` over the conditions that have a value, which are added to `values`. */
export const where = (conditions: readonly Condition[], values: unknown[], also: readonly string[] = []): string => {
  const told = conditions.filter(({ value }) => value !== undefined);
  const predicates = told.map(({ sql, type, value }) => sql(`$${values.push(value)}::${type}`));
  return `WHERE ${[...predicates, ...also].join(' AND ')}`;
};
