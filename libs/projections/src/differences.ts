import { inTransaction, type Pool, type PoolClient } from '@causeway/postgres';
import { shapeOf, sideOf, type Shape, type Side } from './comparison.ts';
import { differenceOf, type Past } from './difference.ts';
import { differingKeys, idOfKey, rowsOf, versionsOf, type Key, type Narrowed, type Place } from './differing-rows.ts';
import { differencesMax, tableOf, type Difference, type Generation } from './projection.ts';

/** `table`: logical. `shown`: to somebody, by either generation; what is not needs no correction. */
export type FoundDifference = Difference & Readonly<{ table: string; key: Key; shown: boolean }>;

/** How long whoever reads the differences may take for a batch of them. */
const betweenBatchesMs = 120_000;
/** More than the default: two hashes of each row are joined. */
const memory = '64MB';

/** The database as it is at one instant. Nobody waits for it, and it takes one core. */
export const inSnapshot = <T>(pool: Pool, work: (tx: PoolClient) => Promise<T>): Promise<T> =>
  inTransaction(pool, async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    await tx.query(`SET LOCAL idle_in_transaction_session_timeout = ${betweenBatchesMs}`);
    await tx.query(`SET LOCAL work_mem = '${memory}'`);
    await tx.query('SET LOCAL max_parallel_workers_per_gather = 0');
    return work(tx);
  });

/** Keys of rows, by table. */
export type Only = ReadonlyMap<string, readonly Key[]>;

export type Compare = Readonly<{
  schema: string;
  live: Pick<Generation, 'name' | 'generation'>;
  next: Pick<Generation, 'name' | 'generation'>;
  narrowed?: Narrowed;
  /** The keys that are meant, by table. */
  only?: Only;
  /** Also what nobody is shown: hidden rows, and tables beside the read model's. */
  whole?: boolean;
}>;

type Sides = Readonly<Record<Place, Side>>;
/** `shown`: SQL of a row `r`. */
type Table = Readonly<{ name: string; isFirst: boolean; shape: Shape; versions?: Shape; json?: string; shown: string }>;

const conditionsOf = ({ live, next }: Sides, { name, shown }: Table, whole: boolean): Record<Place, string> => {
  const condition = ({ forgotten }: Side): string =>
    `NOT (${forgotten[name] ?? 'false'})${whole ? '' : ` AND (${shown})`}`;
  return { live: condition(live), next: condition(next) };
};

/** When the generations have not come equally far: the time up to which both know everything. */
const knownTo = ({ live, next }: Sides): string | undefined => {
  if (live.position === next.position) return undefined;
  return live.recordedAt < next.recordedAt ? live.recordedAt : next.recordedAt;
};

const sidesOf = async (tx: PoolClient, { schema, live, next }: Compare): Promise<Sides> => ({
  live: await sideOf(tx, schema, live),
  next: await sideOf(tx, schema, next),
});

/** Of the newer version's saying: the first table is the read model, of which the versions are a part. */
const tablesOf = async (
  tx: PoolClient,
  { live, next }: Sides,
  { schema, whole }: Compare,
): Promise<readonly Table[]> => {
  const shape = (name: string) => shapeOf(tx, tableOf(schema, live)(name), tableOf(schema, next)(name));
  const { json, shown = 'true', versions } = next.compared;
  const names = next.tables.filter((name) => live.tables.includes(name) && name !== versions);
  const found: Table[] = [];
  for (const name of whole === true ? names : names.slice(0, 1)) {
    const isFirst = found.length === 0;
    const past =
      isFirst && versions !== undefined && live.tables.includes(versions) ? await shape(versions) : undefined;
    const table = { name, isFirst, shape: await shape(name), shown: isFirst ? shown : 'false' };
    found.push({ ...table, ...(isFirst && json !== undefined && { json }), ...(past && { versions: past }) });
  }
  return found;
};

const known =
  (until: string | undefined) =>
  (time: unknown): boolean =>
    until === undefined || typeof time !== 'string' || time <= until;

type Seen = Past & Readonly<{ shown: boolean }>;

/** What one generation holds of some keys, up to a time. */
const seenBy = async (tx: PoolClient, place: Place, { table, keys, until }: Looking): Promise<(id: string) => Seen> => {
  const read = { place, keys, shape: table.shape };
  const rows = await rowsOf(tx, read, table.shown);
  const pasts = table.versions && (await versionsOf(tx, read, table.versions));
  const isKnown = known(until);
  return (id) => {
    const { row, shown = false } = rows.get(id) ?? {};
    return { row, shown, versions: (pasts?.get(id) ?? []).filter(({ supersededAt }) => isKnown(supersededAt)) };
  };
};

type Looking = Readonly<{ table: Table; keys: readonly Key[]; until: string | undefined }>;

const among = async (tx: PoolClient, looking: Looking): Promise<readonly FoundDifference[]> => {
  const { table, keys, until } = looking;
  const [live, next] = [await seenBy(tx, 'live', looking), await seenBy(tx, 'next', looking)];
  return keys.flatMap((key) => {
    const id = idOfKey(key);
    const sides = [live(id), next(id)];
    if (!sides.every(({ row }) => known(until)(row?.['updatedAt']))) return [];
    const shown = sides.some((side) => side.shown);
    // A row that nobody is shown is none to who is shown the other.
    const [before, after] = sides.map((side) => (shown && !side.shown ? { ...side, row: undefined } : side));
    const difference = before && after && differenceOf(before, after, table.json);
    const name = table.isFirst ? id : `${table.name}/${id}`;
    return difference === undefined ? [] : [{ id: name, ...difference, table: table.name, key, shown }];
  });
};

/** Undefined: nothing of the table is looked at. */
const narrowedTo = ({ narrowed = {}, only }: Compare, { name, shape }: Table): Narrowed | undefined => {
  const { scope } = narrowed;
  if (scope !== undefined && !shape.columns.some((column) => column.name === scope.column)) return undefined;
  return only === undefined ? narrowed : { ...narrowed, keys: only.get(name) ?? [] };
};

/**
 * What two generations show differently, in batches of at most `differencesMax`: of all rows, or as `narrowed`. To be
 * called in a snapshot. Where the generations have not come equally far, a row that only one can know of yet is left out.
 * Rows are hashed in the database and the hashes joined; those that differ are read and compared member by member.
 */
export const differencesOf = async function* (
  tx: PoolClient,
  compare: Compare,
): AsyncGenerator<readonly FoundDifference[]> {
  const { whole = false } = compare;
  const sides = await sidesOf(tx, compare);
  const until = knownTo(sides);
  for (const table of await tablesOf(tx, sides, compare)) {
    const { versions } = table;
    const narrowed = narrowedTo(compare, table);
    if (narrowed === undefined) continue;
    const conditions = conditionsOf(sides, table, whole);
    const looked = { narrowed, conditions, ...(until !== undefined && { until }), ...(versions && { versions }) };
    for await (const keys of differingKeys(tx, table.shape, looked, differencesMax)) {
      const found = await among(tx, { table, keys, until });
      if (found.length > 0) yield found;
    }
  }
};
