import { isVisibleChange, type IdentityChange, type KnownRow, type LedgerEvent } from '@causeway/domain/ledger';
import type { Revision } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';
import type { Account } from './account.ts';

/** An event of the account's stream, the run that brought it, and what it does to the index. */
export type Folded = Readonly<{ event: LedgerEvent; change: IdentityChange | undefined; runId: string | undefined }>;

export type IndexWrite = Readonly<{
  account: Account;
  /** Where the index stands, and where the events lead. */
  from: Revision | undefined;
  to: Revision;
  folded: readonly Folded[];
}>;

/** The head row is the guard: who finds the index elsewhere than it was read writes nothing at all. */
const writeSql = `
WITH head AS (
  INSERT INTO ledger.identity_head AS h (account_id, connection_id, entity_id, organization, environment, revision)
  VALUES ($1, $2, $3, $4, $5, $7)
  ON CONFLICT (account_id) DO UPDATE SET revision = excluded.revision WHERE h.revision = $6::bigint
  RETURNING account_id
), written AS (
  INSERT INTO ledger.identity AS i
  SELECT head.account_id, r.*
    FROM head, unnest($8::uuid[], $9::text[], $10::text[], $11::date[], $12::date[], $13::text[], $14::text[],
                      $15::text[], $16::text[]) r
  ON CONFLICT (account_id, transaction_id) DO UPDATE
    SET status = excluded.status, bank_id = excluded.bank_id, day = excluded.day, posted_date = excluded.posted_date,
        amount = excluded.amount, fingerprint = excluded.fingerprint, narrative = excluded.narrative,
        content = excluded.content
), gone AS (
  UPDATE ledger.identity i SET status = g.status
    FROM head, unnest($17::uuid[], $18::text[]) g (transaction_id, status)
   WHERE i.account_id = head.account_id AND i.transaction_id = g.transaction_id
), balances AS (
  INSERT INTO ledger.reported_balance
  SELECT head.account_id, b.* FROM head, unnest($19::date[], $20::text[]) b
  ON CONFLICT (account_id, date) DO UPDATE SET amount = excluded.amount
), changes AS (
  INSERT INTO ledger.run_change AS c
  SELECT c.run_id, head.account_id, c.changes FROM head, unnest($21::uuid[], $22::bigint[]) c (run_id, changes)
  ON CONFLICT (run_id, account_id) DO UPDATE SET changes = c.changes + excluded.changes
)
SELECT FROM head`;

/** An array as Postgres writes it, for elements that need no quotes: ids, dates, amounts, digests, plain words. */
const plainArray = (values: readonly (string | number | null)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join(',')}}`;

const column = <T>(rows: readonly T[], read: (row: T) => string | number | null): string => plainArray(rows.map(read));

/** The newest state of each row: a batch may hold several events of one transaction. */
const newest = (folded: readonly Folded[]) => {
  const rows = new Map<string, KnownRow>();
  const gone = new Map<string, string>();
  for (const { change } of folded) {
    if (change?.type === 'row') {
      rows.set(change.row.transactionId, change.row);
      gone.delete(change.row.transactionId);
    } else if (change?.type === 'gone') {
      const row = rows.get(change.transactionId);
      if (row === undefined) gone.set(change.transactionId, change.status);
      else rows.set(change.transactionId, { ...row, status: change.status });
    }
  }
  return { rows: [...rows.values()], gone: [...gone] };
};

const balancesIn = (folded: readonly Folded[]) => {
  const balances = new Map<string, string>();
  for (const { event } of folded) {
    if (event.type === 'BalanceReported') balances.set(event.data.date, event.data.amount);
  }
  return [...balances];
};

const changesIn = (folded: readonly Folded[]) => {
  const changes = new Map<string, number>();
  for (const { event, runId } of folded) {
    if (runId !== undefined && isVisibleChange(event)) changes.set(runId, (changes.get(runId) ?? 0) + 1);
  }
  return [...changes];
};

/** False: the index stands elsewhere by now. */
export const writeIndex = async (tx: PoolClient, { account, from, to, folded }: IndexWrite): Promise<boolean> => {
  const { rows, gone } = newest(folded);
  const balances = balancesIn(folded);
  const changes = changesIn(folded);
  const { accountId, connectionId, entityId, organization, environment } = account;
  const { rowCount } = await tx.query({
    name: 'ledger.write-index',
    text: writeSql,
    values: [
      ...[accountId, connectionId, entityId, organization, environment, from ?? null, to],
      column(rows, (row) => row.transactionId),
      column(rows, (row) => row.status),
      rows.map((row) => row.bankId),
      column(rows, (row) => row.day),
      column(rows, (row) => row.postedDate),
      column(rows, (row) => row.amount),
      column(rows, (row) => row.print.fingerprint),
      column(rows, (row) => row.print.narrative),
      column(rows, (row) => row.print.content),
      column(gone, ([id]) => id),
      column(gone, ([, status]) => status),
      column(balances, ([date]) => date),
      column(balances, ([, amount]) => amount),
      column(changes, ([runId]) => runId),
      column(changes, ([, count]) => count),
    ],
  });
  return rowCount === 1;
};
