import { cursors } from '@causeway/http';
import { transactionSorts, type TransactionSort } from '@causeway/read-models';
import { testCursorSecrets } from '@causeway/testing';
import { takenOnce, type Measured, type Measurement } from './measurement.ts';
import { percentile } from './percentile.ts';
import { otherOrganization, seededId, withReadSides, type ReadSides } from './read-sides.ts';

const pageRows = 100;
const deepPage = 10_000;
const times = 60;
/** Fewer rows have no page that is far from the first. */
const deepRowsMin = 10 * pageRows;

export type Filters = Readonly<Record<string, string>>;

/** In SQL, what a filter asks for; a row without a posted date is in no range. */
const sqlOf: Readonly<Record<string, (value: string) => string>> = {
  accountId: (id) => `account_id = '${id}'`,
  connectionId: (id) => `connection_id = '${id}'`,
  entityId: (id) => `entity_id = '${id}'`,
  status: (status) => `status = '${status}'`,
  postedDateGte: (day) => `sort_date >= '${day}' AND sort_date < 'infinity'`,
  postedDateLt: (day) => `sort_date < '${day}'`,
};

type Ids = Readonly<Record<'entityId' | 'connectionId' | 'accountId', string>>;
const idsOf = (organization: string): Ids => ({
  entityId: seededId(organization, 'entity'),
  connectionId: seededId(organization, 'connection'),
  accountId: seededId(organization, 'account1'),
});

/** Filters, and the share of all rows that each lets through at the least. */
const deepFilters = ({ accountId, connectionId, entityId }: Ids): readonly (readonly [Filters, number])[] => [
  [{}, 1],
  [{ accountId }, 0.25],
  [{ connectionId }, 1],
  [{ entityId }, 1],
  [{ accountId, connectionId, entityId }, 0.25],
  [{ status: 'posted' }, 0.99],
  [{ status: 'pending' }, 0.001],
  [{ accountId, status: 'posted' }, 0.24],
  [{ accountId, status: 'pending' }, 0.001],
  [{ postedDateGte: '2023-01-01' }, 0.7],
  [{ postedDateLt: '2025-01-01' }, 0.7],
  [{ postedDateGte: '2023-01-01', postedDateLt: '2025-01-01' }, 0.49],
  [{ accountId, postedDateGte: '2023-01-01', postedDateLt: '2025-01-01' }, 0.12],
  [{ connectionId, status: 'posted', postedDateGte: '2023-01-01' }, 0.7],
];

/** Those that let nothing through, or next to nothing. */
const emptyFilters = ({ accountId, connectionId, entityId }: Ids, foreign: Ids): readonly Filters[] => {
  const unknown = seededId('nobody', 'account1');
  return [
    { rail: 'crypto' },
    { rail: 'wire' },
    { status: 'unknown' },
    { status: 'reversed' },
    { status: 'posted', rail: 'crypto' },
    { status: 'pending', rail: 'crypto' },
    { accountId, rail: 'crypto' },
    { connectionId, rail: 'wire' },
    { entityId, status: 'unknown' },
    { accountId: unknown },
    { connectionId: unknown },
    { entityId: unknown },
    { accountId, connectionId: unknown },
    { accountId: foreign.accountId },
    { connectionId: foreign.connectionId },
    { entityId: foreign.entityId },
    { postedDateLt: '2021-01-01' },
    { postedDateGte: '2090-01-01' },
    { accountId, postedDateGte: '2022-06-01', postedDateLt: '2022-06-01' },
  ];
};

const pathOf = (filters: Filters): string => `/v1/transactions?${new URLSearchParams(filters).toString()}`;

/** The address of the page after so many rows: its cursor is made here, since to turn all pages before would take hours. */
const pageAfter = async (sides: ReadSides, sort: TransactionSort, filters: Filters, rows: number): Promise<string> => {
  const { system, pool, table } = sides;
  const { organization } = system;
  const column = sort.endsWith('postedDate') ? 'sort_date' : 'updated_at';
  const key =
    column === 'sort_date' ? column : `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  const asked = Object.entries(filters).map(([name, value]) => `AND ${sqlOf[name]?.(value)}`);
  const found = await pool.query<{ key: string; id: string }>(
    `SELECT (${key})::text AS key, id::text AS id FROM ${table}
      WHERE organization = $1 AND environment = 'test' AND NOT removed ${asked.join(' ')}
      ORDER BY ${column} ${direction}, id ${direction} OFFSET $2 LIMIT 1`,
    [organization, rows - 1],
  );
  const last = found.rows[0];
  if (last === undefined) throw new Error(`fewer than ${rows} rows: ${pathOf(filters)}`);
  const parameters = { sort, ...filters };
  const binding = { organization, environment: 'test', endpoint: '/v1/transactions', parameters };
  const cursor = cursors(testCursorSecrets).seal(binding, [last.key, last.id]);
  return `${system.baseUrl}${pathOf({ ...filters, sort, limit: String(pageRows), cursor })}`;
};

/** A page, and the one that it is held against. */
export type Pair = Readonly<{ name: string; page: string; against: string }>;

export const firstPage = ({ system }: ReadSides, sort: TransactionSort, filters: Filters = {}): string =>
  `${system.baseUrl}${pathOf({ ...filters, sort, limit: String(pageRows) })}`;

const nameOf = (sort: TransactionSort, filters: Filters): string => [sort, ...Object.keys(filters)].join(' ');

const deepPairs = async (sides: ReadSides, rows: number): Promise<readonly Pair[]> => {
  const pairs: Pair[] = [];
  for (const [filters, share] of deepFilters(idsOf(sides.system.organization))) {
    const found = Math.floor(rows * share) - 2 * pageRows;
    if (found < deepRowsMin) continue;
    for (const sort of transactionSorts) {
      const page = await pageAfter(sides, sort, filters, Math.min(found, (deepPage - 1) * pageRows));
      pairs.push({ name: nameOf(sort, filters), page, against: firstPage(sides, sort, filters) });
    }
  }
  return pairs;
};

type Page = Readonly<{ data: readonly object[]; pagination: Readonly<{ nextCursor: string | null }> }>;

/** And the page after it, where one without rows says that there is more: it starts in the middle of the walk. */
const emptyPairs = async (sides: ReadSides): Promise<readonly Pair[]> => {
  const pairs: Pair[] = [];
  const [ours, foreign] = [idsOf(sides.system.organization), idsOf(otherOrganization)];
  for (const filters of emptyFilters(ours, foreign)) {
    for (const sort of transactionSorts) {
      const [page, against] = [firstPage(sides, sort, filters), firstPage(sides, sort)];
      const name = nameOf(sort, filters);
      pairs.push({ name, page, against });
      const { pagination } = (await (await fetch(page, { headers: sides.headers })).json()) as Page;
      const { nextCursor } = pagination;
      if (nextCursor !== null) pairs.push({ name: `${name} 2`, page: `${page}&cursor=${nextCursor}`, against });
    }
  }
  return pairs;
};

/** Every pair's pages by turns, and of all of them the worst. */
export const worstOf = async (
  sides: ReadSides,
  id: string,
  pages: readonly Pair[],
  pairs: number,
): Promise<Measured> => {
  const urls = [...new Set(pages.flatMap(({ page, against }) => [page, against]))];
  const taken = pages.map(() => ({ ours: [] as number[], baseline: [] as number[] }));
  await sides.carry({ kind: 'turns', urls, headers: sides.headers, times: 3 });
  for (let pair = 0; pair < pairs; pair++) {
    const { p50sMs = [] } = await sides.carry({ kind: 'turns', urls, headers: sides.headers, times });
    const p50 = (url: string) => p50sMs[urls.indexOf(url)] ?? Number.NaN;
    for (const [n, { page, against }] of pages.entries()) {
      taken[n]?.ours.push(p50(page));
      taken[n]?.baseline.push(p50(against));
    }
  }
  const ratio = ({ ours, baseline }: (typeof taken)[0]) =>
    percentile(
      ours.map((ms, pair) => ms / (baseline[pair] as number)),
      0.5,
    );
  const ranked = pages.map(({ name }, n) => ({ name, ...(taken[n] as (typeof taken)[0]) }));
  ranked.sort((a, b) => ratio(b) - ratio(a));
  const worst = ranked.slice(0, 3).map((one) => `${one.name} ${ratio(one).toFixed(2)}`);
  process.stderr.write(`${id}: of ${pages.length} the worst: ${worst.join(', ')}\n`);
  const { ours, baseline } = ranked[0] as (typeof ranked)[0];
  return { ours, baseline };
};

const bothFigures = takenOnce(({ rows, pairs, databaseUrl }) =>
  withReadSides({ rows, databaseUrl, hasBaseline: false }, async (sides) => ({
    depth: await worstOf(sides, 'P3a', await deepPairs(sides, rows), pairs),
    empty: await worstOf(sides, 'P3b', await emptyPairs(sides), pairs),
  })),
);

export const depthBench: Measurement = {
  id: 'P3a',
  name: 'page 10,000 of a list / page 1, p50: the worst of every sort and filter',
  unit: 'ms',
  target: 1.2,
  floor: 2,
  lessIsBetter: true,
  run: async (options) => (await bothFigures(options)).depth,
};

export const emptyFilterBench: Measurement = {
  id: 'P3b',
  name: 'a page of a list whose filter matches next to nothing / the plain page, p50: the worst of every sort and filter',
  unit: 'ms',
  target: 10,
  floor: 50,
  lessIsBetter: true,
  run: async (options) => (await bothFigures(options)).empty,
};
