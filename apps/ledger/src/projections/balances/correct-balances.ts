import type { Account } from '@causeway/booking';
import type { AnsweredBalance } from '@causeway/domain/ledger';
import type { Projection } from '@causeway/projections';
import type { Pool } from '@causeway/postgres';
import { recordCorrections, type RowCorrection } from '../corrections.ts';

type Day = Readonly<{ accountId: string; date: string }>;
type Whose = Omit<Account, 'accountId'>;

/** Days of one generation, shown or not, each by its id. */
const whoseOf = async (pool: Pool, table: string, ids: readonly Day[]): Promise<ReadonlyMap<string, Whose>> => {
  const { rows } = await pool.query<Whose & { id: string }>(
    `SELECT d.account_id || '/' || d.date AS id, d.entity_id AS "entityId", d.connection_id AS "connectionId",
            d.organization, d.environment
       FROM unnest($1::uuid[], $2::date[]) c (account_id, date) JOIN ${table} d USING (account_id, date)`,
    [ids.map(({ accountId }) => accountId), ids.map(({ date }) => date)],
  );
  return new Map(rows.map(({ id, ...whose }) => [id, whose]));
};

const told = `account_id, date, cause, reason, operator, event_id, currency, ledger_balance, posted_transaction_delta,
  source, updated_at`;

/** As they were answered, oldest first. */
const answeredOf = async (pool: Pool, tables: readonly string[], ids: readonly Day[]) => {
  const { rows } = await pool.query<AnsweredBalance & { id: string }>(
    `SELECT account_id || '/' || date AS id, coalesce(cause, 'derived') AS cause, reason, operator,
            event_id AS "eventId", currency, ledger_balance::text AS "ledgerBalance",
            posted_transaction_delta::text AS "postedTransactionDelta", source,
            to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "updatedAt"
       FROM (${tables.map((table) => `SELECT ${told} FROM ${table}`).join(' UNION ALL ')}) d
       JOIN unnest($1::uuid[], $2::date[]) c (account_id, date) USING (account_id, date)
      WHERE ledger_balance IS NOT NULL ORDER BY updated_at`,
    [ids.map(({ accountId }) => accountId), ids.map(({ date }) => date)],
  );
  const answered = new Map<string, AnsweredBalance[]>();
  for (const { id, ...version } of rows) answered.set(id, [...(answered.get(id) ?? []), version]);
  return answered;
};

const dayIn = (id: string): Day => {
  const [accountId = '', date = ''] = id.split('/');
  return { accountId, date };
};

export const correctBalances: NonNullable<Projection['correct']> = async (between, differences, by) => {
  const { pool, live, next } = between;
  const ids = differences.map(({ id }) => dayIn(id));
  const [shown, coming, answered] = await Promise.all([
    whoseOf(pool, live('balances'), ids),
    whoseOf(pool, next('balances'), ids),
    answeredOf(pool, [live('balances'), live('balance_versions')], ids),
  ]);
  const { reason, operator } = by;
  const corrections = differences.flatMap(({ id, change }): readonly RowCorrection[] => {
    const whose = shown.get(id) ?? coming.get(id);
    if (whose === undefined) return [];
    const { entityId, connectionId } = whose;
    const { accountId, date } = dayIn(id);
    const data = { entityId, connectionId, date, change, answered: answered.get(id) ?? [], reason, operator };
    return [{ id, account: { accountId, ...whose }, event: { type: 'BalanceCorrected', data } }];
  });
  return recordCorrections(between, 'balances', corrections, by);
};
