import { amountKeyOf, type KnownRow, type KnownStatus, type StatementPage } from '@causeway/domain/ledger';
import type { Revision } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';

type IdentityRecord = Readonly<{
  transaction_id: string;
  status: KnownStatus;
  bank_id: string | null;
  day: string;
  posted_date: string | null;
  amount: string;
  fingerprint: string;
  narrative: string;
  content: string;
}>;

const columns = 'transaction_id, status, bank_id, day, posted_date, amount, fingerprint, narrative, content';

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
  SELECT ${columns} FROM ledger.identity i WHERE i.account_id = $1 AND i.bank_id = named.bank_id OFFSET 0) known`;

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
  const bankIds = new Set<string>();
  for (const { bankId } of page.rows) if (bankId !== null) bankIds.add(bankId);
  const { posted } = page.coverage;
  const { rows } = await tx.query<IdentityRecord>({
    name: 'ledger.known',
    text: knownSql,
    values: [accountId, posted?.from ?? null, posted?.to ?? null, otherDays(page), [...bankIds]],
  });
  const known = new Map<string, KnownRow>();
  for (const row of rows) if (!known.has(row.transaction_id)) known.set(row.transaction_id, knownRow(row));
  return [...known.values()];
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
): Promise<ReadonlyMap<string, string>> => {
  if (closingBalances.length === 0) return new Map();
  const { rows } = await tx.query<{ date: string; amount: string }>({
    name: 'ledger.balances',
    text: 'SELECT date, amount FROM ledger.reported_balance WHERE account_id = $1 AND date = ANY ($2::date[])',
    values: [accountId, closingBalances.map(({ date }) => date)],
  });
  return new Map(rows.map(({ date, amount }) => [date, amount]));
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
