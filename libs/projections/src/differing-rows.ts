import { patiently, type PoolClient } from '@causeway/postgres';
import type { Column, Shape } from './comparison.ts';

/** The values of a primary key, as text. */
export type Key = readonly string[];
export type Row = Readonly<Record<string, unknown>>;

/** Which rows of a table are looked at: all, when none of these is said. */
export type Narrowed = Readonly<{
  keys?: readonly Key[];
  /** And those that changed then or later. */
  since?: string;
  /** Of all this: those with this value in this column. */
  scope?: Readonly<{ column: string; value: string }>;
}>;

export type Looked = Readonly<{
  narrowed: Narrowed;
  /** What changed later on either side is left out: the other may not have come there. */
  until?: string;
  /** SQL of a row `r`. */
  conditions: Readonly<Record<Place, string>>;
  versions?: Shape;
}>;

/** Of a row and of its versions. */
export type Found = Readonly<{ row: Row; shown: boolean }>;
export type Place = 'live' | 'next';

const listOf = (columns: readonly Column[], prefix = ''): string =>
  columns.map(({ name }) => `${prefix}"${name}"`).join(', ');
const isTimed = ({ columns }: Shape): boolean => columns.some(({ name }) => name === 'updated_at');

/** A list of keys as a table `k`. */
const keyTable = ({ key }: Shape, json: string): string =>
  `json_to_recordset(${json}) AS k (${key.map(({ name, type }) => `"${name}" ${type}`).join(', ')})`;
const keysJson = ({ key }: Shape, keys: readonly Key[]): string =>
  JSON.stringify(keys.map((values) => Object.fromEntries(key.map(({ name }, i) => [name, values[i]]))));

const places: readonly Place[] = ['live', 'next'];

/** SQL of the keys of the rows that are looked at; undefined: of all. */
const narrowedTo = (tx: PoolClient, shape: Shape, { narrowed, conditions }: Looked): string | undefined => {
  const { keys, since, scope } = narrowed;
  // When a row changed is not known of each table.
  if (since !== undefined && !isTimed(shape) && scope === undefined) return undefined;
  const where = [
    ...(since === undefined || !isTimed(shape) ? [] : [`r.updated_at >= ${tx.escapeLiteral(since)}`]),
    ...(scope === undefined ? [] : [`r."${scope.column}" = ${tx.escapeLiteral(scope.value)}`]),
  ].join(' AND ');
  const sources = [
    ...(keys === undefined ? [] : [`SELECT * FROM ${keyTable(shape, tx.escapeLiteral(keysJson(shape, keys)))}`]),
    ...(where === '' ? [] : places).map(
      (place) => `SELECT ${listOf(shape.key)} FROM ${shape[place]} r WHERE ${where} AND ${conditions[place]}`,
    ),
  ];
  return sources.length === 0 ? undefined : sources.join(' UNION ');
};

/** SQL of the keys whose rows, or the rows' versions, are not the same text on both sides. A hash in place of the text. */
const differingSql = (tx: PoolClient, shape: Shape, looked: Looked): string => {
  const { until, conditions, versions } = looked;
  const narrowed = narrowedTo(tx, shape, looked);
  const keys = listOf(shape.key);
  const among = (table: string): string =>
    narrowed === undefined ? `${table} r` : `narrowed JOIN ${table} r USING (${keys})`;
  const hash = ({ columns }: Shape): string => `hashtextextended(ROW (${listOf(columns, 'r.')})::text, 0)`;
  const latest = until === undefined ? undefined : tx.escapeLiteral(until);

  const rows = (place: Place): string =>
    `SELECT ${keys}, ${hash(shape)} AS hash, ${isTimed(shape) ? 'r.updated_at' : 'NULL::timestamptz'} AS changed_at
       FROM ${among(shape[place])} WHERE ${conditions[place]}`;
  const isKnown = latest === undefined ? '' : ` AND greatest(l.changed_at, n.changed_at) <= ${latest} IS NOT FALSE`;
  const pasts = (place: Place, of: Shape): string =>
    `SELECT ${keys}, sum(${hash(of)}::numeric) AS hash FROM ${among(of[place])}
      WHERE ${latest === undefined ? 'true' : `r.superseded_at <= ${latest}`} GROUP BY ${keys}`;
  const differ = (live: string, next: string, known: string): string =>
    `SELECT ${keys} FROM (${live}) l FULL JOIN (${next}) n USING (${keys}) WHERE l.hash IS DISTINCT FROM n.hash${known}`;

  const differing = [
    differ(rows('live'), rows('next'), isKnown),
    ...(versions ? [differ(pasts('live', versions), pasts('next', versions), '')] : []),
  ].join(' UNION ');
  const texts = shape.key.map(({ name }) => `"${name}"::text`).join(', ');
  const first = narrowed === undefined ? '' : `narrowed AS MATERIALIZED (${narrowed}), `;
  return `WITH ${first}differing AS (${differing}) SELECT ARRAY[${texts}] AS key FROM differing`;
};

const longListKeys = 1000;

/** In batches, from a cursor: however many differ, few of them are in memory. */
export const differingKeys = async function* (
  tx: PoolClient,
  shape: Shape,
  looked: Looked,
  batchRows: number,
): AsyncGenerator<readonly Key[]> {
  // The planner takes a list of keys for a short one, and would go through it for every row.
  const isLong = (looked.narrowed.keys?.length ?? 0) > longListKeys;
  await tx.query(`SET LOCAL enable_nestloop = ${isLong ? 'off' : 'on'}`);
  await tx.query(`DECLARE differing NO SCROLL CURSOR FOR ${differingSql(tx, shape, looked)}`);
  await tx.query('SET LOCAL enable_nestloop = on');
  for (;;) {
    const { rows } = await patiently<{ key: Key }>(tx, `FETCH ${batchRows} FROM differing`);
    if (rows.length > 0) yield rows.map(({ key }) => key);
    if (rows.length < batchRows) break;
  }
  await tx.query('CLOSE differing');
};

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/** Times with their microseconds, as they are answered. */
const selected = ({ name, type }: Column): string => {
  const column = `r."${name}"`;
  const isTime = type === 'timestamp with time zone';
  const value = isTime ? `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')` : column;
  return `${value} AS "${camelCase(name)}"`;
};

type Read = Readonly<{ place: Place; keys: readonly Key[]; shape: Shape }>;
export const idOfKey = (key: Key): string => key.join('/');

/** Rows of a table, by keys of `parent`, which are columns of it too. `shown`: SQL of a row `r`. */
type ReadBy = Read & Readonly<{ parent: Shape; shown: string; order?: string }>;

const rowsBy = async (tx: PoolClient, { place, keys, shape, parent, shown, order = '' }: ReadBy) => {
  const id = parent.key.map(({ name }) => `"${name}"::text`).join(', ');
  const { rows } = await tx.query<Row & { '#key': Key; '#shown': boolean }>(
    `SELECT ${shape.columns.map(selected).join(', ')}, ARRAY[${id}] AS "#key", ${shown} AS "#shown"
       FROM ${keyTable(parent, '$1')} JOIN ${shape[place]} r USING (${listOf(parent.key)}) ${order}`,
    [keysJson(parent, keys)],
  );
  return rows.map(({ '#key': key, '#shown': isShown, ...row }) => ({ id: idOfKey(key), shown: isShown, row }));
};

/** What one side holds of some keys. */
export const rowsOf = async (tx: PoolClient, read: Read, shown = 'true'): Promise<ReadonlyMap<string, Found>> => {
  const rows = await rowsBy(tx, { ...read, parent: read.shape, shown });
  return new Map(rows.map(({ id, ...found }) => [id, found]));
};

/** What it holds of their past, oldest first. */
export const versionsOf = async (
  tx: PoolClient,
  read: Read,
  of: Shape,
): Promise<ReadonlyMap<string, readonly Row[]>> => {
  const past = new Map<string, Row[]>();
  const order = 'ORDER BY r.superseded_at';
  for (const { id, row } of await rowsBy(tx, { ...read, shape: of, parent: read.shape, shown: 'true', order })) {
    past.set(id, [...(past.get(id) ?? []), row]);
  }
  return past;
};

/** Makes rows of the live side those of the other. */
export const copyToLive = async (tx: PoolClient, shape: Shape, keys: readonly Key[]): Promise<void> => {
  const { live, next, key, columns } = shape;
  const isSame = key.map(({ name }) => `r."${name}" = k."${name}"`).join(' AND ');
  const wanted = keyTable(shape, '$1');
  await tx.query(`DELETE FROM ${live} r USING ${wanted} WHERE ${isSame}`, [keysJson(shape, keys)]);
  await tx.query(
    `INSERT INTO ${live} (${listOf(columns)})
     SELECT ${listOf(columns, 'r.')} FROM ${wanted} JOIN ${next} r USING (${listOf(key)})`,
    [keysJson(shape, keys)],
  );
};
