import { afterKey, keyText, orderBy, type Order } from './keyset.ts';
import { allOf, isAsked, where, type Condition, type Query } from './query.ts';

export type PageQuery = Readonly<{
  view: string;
  /** Filters by what a row belongs to, the narrowest first: all rows of each belong to one of the next, and to one owner. */
  scopes?: readonly Condition[];
  /** Whose the rows are. */
  owned?: readonly Condition[];
  /** What an index serves, together with owner or narrowest scope and with the order. */
  conditions?: readonly Condition[];
  /** What none serves: looked at entry by entry along the walk, which ends after `walkMax`. */
  along?: readonly Condition[];
  order: Order;
  /** The key of the last row of the page before; undefined: the first page. */
  after: readonly string[] | undefined;
  /** Not a parameter of the statement: Postgres plans for the number. */
  limit: number;
}>;

/**
 * Entries that a page looks at, at most, where no index serves its filter: that costs less than ten times what a page
 * without a filter does, among ten million rows too.
 */
export const walkMax = 1000;

const keyTexts = ({ order }: PageQuery): readonly string[] => order.map((sortKey) => keyText(sortKey, sortKey.column));

/** What picks the entries of a page, and what is looked at on those alone. */
type Filter = Readonly<{ entries: string; checked: readonly Condition[] }>;

/**
 * All rows of the narrowest scope belong to the same, so that one of them tells whether they are the owner's and in the
 * wider scopes: otherwise the rows of another's account would be walked over, one by one, to find none. Predicates that
 * always hold together would make the planner expect next to no rows, and sort; so the owner is checked once more on what
 * was read.
 */
const filterOf = ({ view, scopes = [], owned = [], conditions = [], order }: PageQuery, values: unknown[]): Filter => {
  const [narrowest, ...wider] = scopes.filter(isAsked);
  if (narrowest === undefined) return { entries: where([...owned, ...conditions], values), checked: [] };
  const entries = where([narrowest, ...conditions], values);
  // By the index of the walk: in no order, a scan of the whole table may look cheaper.
  const belongs = `SELECT ${allOf([...wider, ...owned], values)} FROM ${view} ${entries} ${orderBy(order)} LIMIT 1`;
  return { entries: `${entries} AND (${belongs})`, checked: owned };
};

const isWalked = ({ along = [] }: PageQuery): boolean => along.some(isAsked);

type Rows = Readonly<{ text: string; values: readonly unknown[]; after: readonly string[] }>;

/**
 * One row more than the page holds tells whether there is another. Of a walk, the entry at which it ended (`stopped`) is
 * among the rows, be it one to show (`shown`) or not. `after`: where the key stands in the statement.
 */
const pageRows = (page: PageQuery, selectList: string): Rows => {
  const { view, along = [], order, after, limit } = page;
  const values: unknown[] = [];
  const filter = filterOf(page, values);
  const places = (after ?? []).map((value, n) => `$${values.push(value)}::${order[n]?.type ?? 'text'}`);
  const start = after === undefined ? '' : ` AND ${afterKey(order, places)}`;
  const most = isWalked(page) ? walkMax : limit + 1;
  const entries = `SELECT ${selectList} FROM ${view} ${filter.entries}${start} ${orderBy(order)} LIMIT ${most}`;
  const shown = allOf([...along, ...filter.checked], values);
  if (shown === '') return { text: entries, values, after: places };
  const text = isWalked(page)
    ? `SELECT * FROM (SELECT *, (${shown}) IS TRUE AS shown, row_number() OVER () = ${walkMax} AS stopped
         FROM (${entries}) AS entry) AS walk WHERE shown OR stopped LIMIT ${limit + 1}`
    : `SELECT * FROM (${entries}) AS entry WHERE ${shown}`;
  return { text, values, after: places };
};

/** A page as rows of ours, each with its sort key in `key`. */
export const rowPage = (page: Omit<PageQuery, 'along'>, selectList: string): Query => {
  const { text, values } = pageRows(page, `${selectList}, ARRAY[${keyTexts(page).join(', ')}] AS key`);
  return { text, values };
};

/** A row as the text of its JSON. */
export type JsonRow = Readonly<{ json: string; shown?: boolean; stopped?: boolean }>;

/** One page, ready to be put into an envelope. */
export type JsonPage = Readonly<{
  /** The rows as JSON, separated by commas. */
  data: string;
  hasMore: boolean;
  /** The sort key of the last row in `data`, or of the entry at which the walk ended. */
  key: readonly string[];
}>;

/** A statement, and the page that its rows make. */
export type PageRead<Row extends JsonRow = JsonRow> = Readonly<{
  query: Query;
  pageOf: (rows: readonly Row[]) => JsonPage;
}>;

type Written<Row> = Readonly<{ keyOf: (row: Row) => readonly string[]; write: (row: Row) => string }>;

const pageOf =
  <Row extends JsonRow>(limit: number, { keyOf, write }: Written<Row>) =>
  (rows: readonly Row[]): JsonPage => {
    const found = rows.filter(({ shown }) => shown !== false);
    const page = found.slice(0, limit);
    const isFull = found.length > limit;
    const stop = isFull ? undefined : rows.find(({ stopped }) => stopped === true);
    const last = stop ?? page.at(-1);
    return {
      data: page.map(write).join(','),
      hasMore: isFull || stop !== undefined,
      key: last === undefined ? [] : keyOf(last),
    };
  };

const walkColumns = (page: PageQuery): readonly string[] => (isWalked(page) ? ['shown', 'stopped'] : []);

type Keyed = JsonRow & Readonly<Partial<Record<`k${number}`, string>>>;

/** A page that Postgres renders. `json`: an expression over `row`, a row of the view. */
export const renderedPage = (page: PageQuery, json: string): PageRead<Keyed> => {
  const keys = page.order.map((_, n) => `k${n}` as const);
  const { text, values } = pageRows(
    page,
    `*, ${keyTexts(page)
      .map((key, n) => `${key} AS ${keys[n]}`)
      .join(', ')}`,
  );
  const columns = [`${json} AS json`, ...keys, ...walkColumns(page)];
  const written = { keyOf: (row: Keyed) => keys.map((key) => row[key] ?? ''), write: (row: Keyed) => row.json };
  return {
    query: { text: `SELECT ${columns.join(', ')} FROM (${text}) AS row`, values },
    pageOf: pageOf(page.limit, written),
  };
};

type Stored<Row extends JsonRow> = Readonly<{
  /** What is selected beside the text, over `row`. `after`: where the key stands in the statement. */
  beside?: (after: readonly string[]) => string;
  write: (row: Row) => string;
}>;

/** A page of texts that the rows hold. The key is read from the one text where it ends. */
export const storedPage = <Row extends JsonRow>(page: PageQuery, { beside, write }: Stored<Row>): PageRead<Row> => {
  const { text, values, after } = pageRows(page, '*');
  const columns = ['json', ...walkColumns(page), ...(beside === undefined ? [] : [beside(after)])];
  const keyOf = ({ json }: Row): readonly string[] => {
    const shown = JSON.parse(json) as Readonly<Record<string, string | null>>;
    return page.order.map(({ member = '', whenNull = '' }) => shown[member] ?? whenNull);
  };
  return {
    query: { text: `SELECT ${columns.join(', ')} FROM (${text}) AS row`, values },
    pageOf: pageOf(page.limit, { keyOf, write }),
  };
};
