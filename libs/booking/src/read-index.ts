import {
  amountKeyOf,
  claimsOf,
  type Covered,
  type KnownRow,
  type KnownStatus,
  type Place,
  type SeenStatus,
  type StatedBalance,
  type StatementPage,
} from '@causeway/domain/ledger';
import type { Revision } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';

type IdentityRecord = Readonly<{
  transaction_id: string;
  place: Place;
  status: KnownStatus;
  bank_id: string | null;
  day: string;
  posted_date: string | null;
  amount: string;
  fingerprint: string;
  narrative: string;
  content: string;
  reverses: string | null;
}>;

const columns =
  'transaction_id, place, status, bank_id, day, posted_date, amount, fingerprint, narrative, content, reverses';

/** Banks reuse ids, some of them for ever. */
const sameIdMax = 16;

/**
 * Each branch by an index of its own; a row that several of them find is told apart afterwards. Lists are looked up one
 * by one: a planner that has no statistics yet, as in a first sync, takes a list for most of the account and reads all
 * of it.
 */
export const knownSql = `
SELECT ${columns} FROM ledger.identity WHERE account_id = $1 AND day BETWEEN $2 AND $3
UNION ALL
SELECT known.* FROM unnest($4::date[]) AS named (day) CROSS JOIN LATERAL (
  SELECT ${columns} FROM ledger.identity i WHERE i.account_id = $1 AND i.day = named.day OFFSET 0) known
UNION ALL
SELECT ${columns} FROM ledger.identity WHERE account_id = $1 AND status = 'pending'
UNION ALL
SELECT known.* FROM unnest($5::text[]) AS named (bank_id) CROSS JOIN LATERAL (
  SELECT ${columns} FROM ledger.identity i WHERE i.account_id = $1 AND i.bank_id = named.bank_id
   LIMIT ${sameIdMax}) known`;

/**
 * Of an id that more rows have: those that a row of the page may be. What went comes back under its id, and a pending row
 * may be an old report of a posted one; all others are found by their days, or are pending. As many of each as the page has.
 */
export const reusedSql = `
SELECT known.* FROM unnest($2::text[], $3::bigint[]) AS named (bank_id, rows)
 CROSS JOIN unnest(ARRAY['cancelled', 'withdrawn', 'posted']) AS kind (status) CROSS JOIN LATERAL (
  SELECT ${columns} FROM ledger.identity i
   WHERE i.account_id = $1 AND i.bank_id = named.bank_id AND i.status = kind.status LIMIT named.rows) known`;

export const takenSql = `
SELECT taken.transaction_id FROM unnest($2::uuid[]) AS named (id) CROSS JOIN LATERAL (
  SELECT transaction_id FROM ledger.identity i WHERE i.account_id = $1 AND i.transaction_id = named.id OFFSET 0) taken`;

const knownRow = (row: IdentityRecord): KnownRow => ({
  transactionId: row.transaction_id,
  status: row.status,
  bankId: row.bank_id,
  day: row.day,
  postedDate: row.posted_date,
  amount: row.amount,
  print: {
    amountKey: amountKeyOf(row.amount),
    fingerprint: row.fingerprint,
    narrative: row.narrative,
    content: row.content,
  },
  place: row.place,
  reverses: row.reverses,
});

/** The days that rows are dated in but the page does not cover whole. */
const otherDays = ({ rows, coverage: { posted } }: StatementPage): readonly string[] => {
  const days = new Set<string>();
  for (const { day } of rows) if (posted === null || day < posted.from || day > posted.to) days.add(day);
  return [...days];
};

/** The rows that a page may be about: as many as its days hold and its ids name, however long the account is. */
export const readKnown = async (
  tx: PoolClient,
  accountId: string,
  page: StatementPage,
): Promise<readonly KnownRow[]> => {
  const bankIds = new Map<string, number>();
  for (const { bankId, reversalOf = null } of page.rows) {
    for (const id of [bankId, reversalOf]) if (id !== null) bankIds.set(id, (bankIds.get(id) ?? 0) + 1);
  }
  const { posted } = page.coverage;
  const { rows } = await tx.query<IdentityRecord>({
    name: 'ledger.known',
    text: knownSql,
    values: [accountId, posted?.from ?? null, posted?.to ?? null, otherDays(page), [...bankIds.keys()]],
  });
  const known = new Map<string, KnownRow>();
  const found = new Map<string, number>();
  for (const row of rows) {
    if (!known.has(row.transaction_id)) known.set(row.transaction_id, knownRow(row));
    if (row.bank_id !== null) found.set(row.bank_id, (found.get(row.bank_id) ?? 0) + 1);
  }
  const reused = [...bankIds].filter(([bankId]) => (found.get(bankId) ?? 0) >= sameIdMax);
  if (reused.length > 0) {
    const values = [accountId, reused.map(([bankId]) => bankId), reused.map(([, count]) => count)];
    const more = await tx.query<IdentityRecord>({ name: 'ledger.reused', text: reusedSql, values });
    for (const row of more.rows) known.set(row.transaction_id, knownRow(row));
  }
  return [...known.values()];
};

/** Days from the first to the last, by status. */
type Span = Pick<Covered, 'status' | 'from' | 'to'>;

export const everyDay: readonly Span[] = (['posted', 'pending'] as const).map((status) => ({
  ...{ status, from: '0001-01-01', to: '9999-12-31' },
}));

/** The days that the page covers or shows rows of. */
export const spansOf = ({ coverage, rows }: StatementPage): readonly Span[] => {
  const spans = new Map<SeenStatus, Span>();
  const widen = (status: SeenStatus, from: string, to: string): void => {
    const span = spans.get(status) ?? { from, to };
    spans.set(status, { status, from: from < span.from ? from : span.from, to: to > span.to ? to : span.to });
  };
  for (const { status, from, to } of claimsOf(coverage, 0 as Place)) widen(status, from, to);
  for (const { status, day } of rows) widen(status, day, day);
  return [...spans.values()];
};

/** They do not overlap, so the last one that begins before the span is the first that may reach into it. */
export const coveredSql = `
SELECT covered.* FROM unnest($2::text[], $3::date[], $4::date[]) AS span (status, first, last) CROSS JOIN LATERAL (
  SELECT c.status, c.from_day AS "from", c.to_day AS "to", c.place FROM ledger.covered c
   WHERE c.account_id = $1 AND c.status = span.status AND c.to_day >= span.first AND c.from_day <= span.last
     AND c.from_day >= coalesce((SELECT max(b.from_day) FROM ledger.covered b WHERE b.account_id = $1
                                    AND b.status = span.status AND b.from_day <= span.first), span.first)
  OFFSET 0) covered`;

export const readCovered = async (
  tx: PoolClient,
  accountId: string,
  spans: readonly Span[],
): Promise<readonly Covered[]> => {
  const values = [
    ...[accountId, spans.map(({ status }) => status)],
    ...[spans.map(({ from }) => from), spans.map(({ to }) => to)],
  ];
  return (await tx.query<Covered>({ name: 'ledger.covered', text: coveredSql, values })).rows;
};

/** Undefined: nothing of the account is booked. */
export const readRevision = async (tx: PoolClient, accountId: string): Promise<Revision | undefined> => {
  const { rows } = await tx.query<{ revision: Revision }>({
    name: 'ledger.revision',
    text: 'SELECT revision FROM ledger.identity_head WHERE account_id = $1',
    values: [accountId],
  });
  return rows[0]?.revision;
};

export const readBalances = async (
  tx: PoolClient,
  accountId: string,
  { closingBalances }: StatementPage,
): Promise<ReadonlyMap<string, StatedBalance>> => {
  if (closingBalances.length === 0) return new Map();
  const { rows } = await tx.query<StatedBalance & { date: string }>({
    name: 'ledger.balances',
    text: 'SELECT date, amount, place FROM ledger.reported_balance WHERE account_id = $1 AND date = ANY ($2::date[])',
    values: [accountId, closingBalances.map(({ date }) => date)],
  });
  return new Map(rows.map(({ date, ...stated }) => [date, stated]));
};

/** Which of the ids are in use. */
export const readTaken = async (
  tx: PoolClient,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> => {
  const { rows } = await tx.query<{ transaction_id: string }>({
    name: 'ledger.taken',
    text: takenSql,
    values: [accountId, `{${ids.join(',')}}`],
  });
  return new Set(rows.map((row) => row.transaction_id));
};
