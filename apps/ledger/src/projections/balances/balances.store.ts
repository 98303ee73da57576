import type { DailyBalance, DayPast, Folded, Span } from '@causeway/domain/ledger';
import type { PoolClient } from '@causeway/postgres';
import { copyInto } from '@causeway/projections';
import type { TableName } from '@causeway/read-models';
import {
  balanceAccountColumns,
  balanceColumns,
  balanceVersionColumns,
  type BalanceAccountRow,
  type BalanceRow,
} from './balances.table.ts';

type Loaded = DailyBalance & Readonly<{ accountId: string }>;

/** The days of one account that a batch can reach. */
export type Reach = Readonly<{ accountId: string; from: string; beyond: string }>;

export const spanOf = ({ firstDay, lastDay, firstAnchor }: BalanceAccountRow): Span | null =>
  firstDay === null || lastDay === null ? null : { first: firstDay, last: lastDay, anchor: firstAnchor };

export const loadAccounts = async (
  tx: PoolClient,
  table: TableName,
  ids: readonly string[],
): Promise<readonly BalanceAccountRow[]> => {
  if (ids.length === 0) return [];
  const { rows } = await tx.query<BalanceAccountRow>(
    `SELECT organization, environment, entity_id AS "entityId", connection_id AS "connectionId",
            account_id AS "accountId", currency, first_day AS "firstDay", last_day AS "lastDay",
            first_anchor AS "firstAnchor"
       FROM ${table('balance_account')} WHERE account_id = ANY ($1::uuid[])`,
    [ids],
  );
  return rows;
};

/** From the first day to the first stated one after the second: by the primary key, however long the account is. */
export const loadDays = async (
  tx: PoolClient,
  table: TableName,
  reaches: readonly Reach[],
): Promise<ReadonlyMap<string, readonly DailyBalance[]>> => {
  const days = new Map<string, DailyBalance[]>(reaches.map(({ accountId }) => [accountId, []]));
  if (reaches.length === 0) return days;
  const { rows } = await tx.query<Loaded>(
    `SELECT b.account_id AS "accountId", b.date, b.ledger_balance AS balance, b.posted_transaction_delta AS delta,
            b.source = 'bankProvided' AS stated,
            to_char(b.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "changedAt",
            b.event_id AS "eventId", b.cause, b.reason, b.operator, b.place
       FROM unnest($1::uuid[], $2::date[], $3::date[]) r (account_id, first, beyond),
    LATERAL (SELECT coalesce(min(n.date), 'infinity') AS last FROM ${table('balances')} n
              WHERE n.account_id = r.account_id AND n.date > r.beyond AND n.source = 'bankProvided') e,
    LATERAL (SELECT * FROM ${table('balances')} d
              WHERE d.account_id = r.account_id AND d.date BETWEEN r.first AND e.last) b`,
    [reaches.map(({ accountId }) => accountId), reaches.map(({ from }) => from), reaches.map(({ beyond }) => beyond)],
  );
  for (const { accountId, ...day } of rows) days.get(accountId)?.push(day);
  return days;
};

const copyDays = copyInto(balanceColumns);
const copyVersions = copyInto(balanceVersionColumns);
const copyAccounts = copyInto(balanceAccountColumns);

/** The days that changed of one account, and what it is after them. */
export type Changed = Readonly<{ account: BalanceAccountRow; balances: Folded }>;

const dayRow = (account: BalanceAccountRow, day: Omit<DailyBalance, 'date'>, date: string): BalanceRow => {
  const { organization, environment, entityId, connectionId, accountId, currency } = account;
  const { balance, delta, stated, changedAt, eventId, cause, reason, operator, place } = day;
  return {
    ...{ organization, environment, entityId, connectionId, accountId, date, currency },
    ...{ ledgerBalance: balance, postedTransactionDelta: delta, source: stated ? 'bankProvided' : 'derived' },
    ...{ updatedAt: changedAt, eventId, cause, reason, operator, place },
  };
};

const accountRow = ({ account, balances: { span } }: Changed): BalanceAccountRow => ({
  ...account,
  firstDay: span?.first ?? null,
  lastDay: span?.last ?? null,
  firstAnchor: span?.anchor ?? null,
});

type PastOf = DayPast & Readonly<{ account: BalanceAccountRow }>;
const placesOf = (pasts: readonly PastOf[]) => [
  pasts.map(({ account }) => account.accountId),
  pasts.map(({ date }) => date),
];

/** What there was of the days, by the primary key. */
const savePasts = async (tx: PoolClient, versions: string, pasts: readonly PastOf[]): Promise<void> => {
  const replaced = pasts.filter((past) => past.replaced);
  const extended = pasts.filter((past) => past.extended !== null);
  if (replaced.length > 0) {
    const days = 'unnest($1::uuid[], $2::date[]) c (account_id, date)';
    const ofDay = 'v.account_id = c.account_id AND v.date = c.date';
    await tx.query(`DELETE FROM ${versions} v USING ${days} WHERE ${ofDay}`, placesOf(replaced));
  }
  if (extended.length > 0) {
    await tx.query(
      `UPDATE ${versions} v SET superseded_at = c.until
         FROM unnest($1::uuid[], $2::date[], $3::timestamptz[], $4::timestamptz[]) c (account_id, date, since, until)
        WHERE v.account_id = c.account_id AND v.date = c.date AND v.superseded_at = c.since`,
      [...placesOf(extended), extended.map((past) => past.extended?.from), extended.map((past) => past.extended?.to)],
    );
  }
  const added = pasts.flatMap(({ account, date, versions: all }) =>
    all.map(({ supersededAt, currency = account.currency, ...day }) => ({
      ...{ ...dayRow(account, day, date), currency, supersededAt },
    })),
  );
  await copyVersions(tx, versions, added);
};

/** Rows that were there are deleted by one statement and written again, together with the new ones, by one COPY. */
export const saveBalances = async (tx: PoolClient, table: TableName, changed: readonly Changed[]): Promise<void> => {
  if (changed.length === 0) return;
  const days = changed.flatMap(({ account, balances }) =>
    balances.days.map(({ date, ...day }) => dayRow(account, day, date)),
  );
  await tx.query(
    `DELETE FROM ${table('balances')} b USING unnest($1::uuid[], $2::date[]) c (account_id, date)
      WHERE b.account_id = c.account_id AND b.date = c.date`,
    [days.map(({ accountId }) => accountId), days.map(({ date }) => date)],
  );
  await copyDays(tx, table('balances'), days);
  const pasts = changed.flatMap(({ account, balances }) => balances.pasts.map((past) => ({ ...past, account })));
  await savePasts(tx, table('balance_versions'), pasts);
  const accounts = changed.map(accountRow);
  await tx.query(`DELETE FROM ${table('balance_account')} WHERE account_id = ANY ($1::uuid[])`, [
    accounts.map(({ accountId }) => accountId),
  ]);
  await copyAccounts(tx, table('balance_account'), accounts);
};

/** Which of the connections are gone. */
export const erasedAmong = async (
  tx: PoolClient,
  table: TableName,
  connectionIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  if (connectionIds.length === 0) return new Set();
  const { rows } = await tx.query<{ id: string }>(
    `SELECT connection_id AS id FROM ${table('erased_balances')} WHERE connection_id = ANY ($1::uuid[])`,
    [connectionIds],
  );
  return new Set(rows.map(({ id }) => id));
};

export const eraseBalances = async (
  tx: PoolClient,
  table: TableName,
  connectionIds: readonly string[],
): Promise<void> => {
  if (connectionIds.length === 0) return;
  // By the accounts and their days, which have an index in a table that is being filled, too: not by reading all days.
  await tx.query(`SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off`);
  // The most that any generation held: the live one, unless it was behind.
  await tx.query(
    `WITH gone AS (
       DELETE FROM ${table('balances')} b USING ${table('balance_account')} a
        WHERE a.connection_id = ANY ($1::uuid[]) AND b.account_id = a.account_id
       RETURNING b.connection_id, b.ledger_balance
     )
     INSERT INTO ledger.erased_days AS e (connection_id, days)
     SELECT connection_id, count(ledger_balance) FROM gone GROUP BY connection_id ORDER BY connection_id
     ON CONFLICT (connection_id) DO UPDATE SET days = greatest(e.days, excluded.days)`,
    [connectionIds],
  );
  await tx.query(
    `DELETE FROM ${table('balance_versions')} v USING ${table('balance_account')} a
      WHERE a.connection_id = ANY ($1::uuid[]) AND v.account_id = a.account_id`,
    [connectionIds],
  );
  await tx.query(`DELETE FROM ${table('balance_account')} WHERE connection_id = ANY ($1::uuid[])`, [connectionIds]);
  await tx.query(
    `INSERT INTO ${table('erased_balances')} SELECT unnest($1::uuid[]) ON CONFLICT (connection_id) DO NOTHING`,
    [connectionIds],
  );
};
