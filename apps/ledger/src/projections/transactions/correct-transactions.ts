import { rowsByKeys, type Projection } from '@causeway/projections';
import type { TableName } from '@causeway/read-models';
import type { Pool } from '@causeway/postgres';
import { recordCorrections, type RowCorrection } from '../corrections.ts';
import { answeredBy } from './transaction-change.ts';
import { transactionColumns, type TransactionRow } from './transactions.table.ts';

type Rows = ReadonlyMap<string, readonly TransactionRow[]>;

/** By their ids; of versions oldest first. */
const rowsIn = async (pool: Pool, table: TableName, logical: string, ids: readonly string[]): Promise<Rows> => {
  const rows = await rowsByKeys<TransactionRow>(
    pool,
    { table: table(logical), columns: transactionColumns, key: 'id' },
    ids,
  );
  const byId = new Map<string, TransactionRow[]>();
  for (const row of rows) byId.set(row.id, [...(byId.get(row.id) ?? []), row]);
  for (const versions of byId.values()) versions.sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
  return byId;
};

/** A text that somebody broke was answered to nobody. */
const isAnswered = ({ json }: TransactionRow): boolean => {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
};

export const correctTransactions: NonNullable<Projection['correct']> = async (between, differences, by) => {
  const { pool, live, next } = between;
  const ids = differences.map(({ id }) => id);
  const [shown, versions, coming] = await Promise.all([
    rowsIn(pool, live, 'transactions', ids),
    rowsIn(pool, live, 'transaction_versions', ids),
    rowsIn(pool, next, 'transactions', ids),
  ]);
  const corrections = differences.flatMap(({ id, change }): readonly RowCorrection[] => {
    const [row] = coming.get(id) ?? shown.get(id) ?? [];
    // A ledger is always somebody's.
    if (row === undefined || row.organization === null || row.environment === null) return [];
    const { entityId, connectionId, accountId, organization, environment } = row;
    const account = { accountId, connectionId, entityId, organization, environment };
    const answered = [...(versions.get(id) ?? []), ...(shown.get(id) ?? [])].filter(isAnswered).map(answeredBy);
    const { reason, operator } = by;
    const data = { entityId, connectionId, transactionId: id, change, answered, reason, operator };
    const event = { type: 'TransactionCorrected' as const, data };
    return [{ id, account, event }];
  });
  return recordCorrections(between, 'transactions', corrections, by);
};
