import type { Sequenced } from '@causeway/event-sourcing';
import { rowProjection, type Projection } from '@causeway/projections';
import { progressView, transactionsView, transactionVersionsView } from '@causeway/read-models';
import { applyToTransaction, opensTransaction, transactionsOf } from './transactions.fold.ts';
import { ledgerEventsSchema, ledgerSchema } from '../../migrations.ts';
import { streamsOf } from '../streams-of.ts';
import { correctTransactions } from './correct-transactions.ts';
import { versionsReplacedBy } from './transaction-change.ts';
import type { TransactionEvent } from './transaction-event.ts';
import {
  transactionColumns,
  transactionIndexes,
  transactionsVersion,
  transactionVersionIndexes,
  type TransactionRow,
} from './transactions.table.ts';

const rows = rowProjection<TransactionRow, TransactionEvent>({
  name: 'transactions',
  version: transactionsVersion,
  table: 'transactions',
  columns: transactionColumns,
  key: 'id',
  written: ['json'],
  keysOf: transactionsOf,
  opens: opensTransaction,
  apply: applyToTransaction,
  indexes: transactionIndexes,
  views: (table) => [
    ...transactionsView(table),
    ...transactionVersionsView(table),
    ...progressView('transactions', ledgerSchema, ledgerEventsSchema),
  ],
  versions: {
    ...{ table: 'transaction_versions', since: 'updatedAt', indexes: transactionVersionIndexes },
    replacedBy: versionsReplacedBy,
  },
});

/** A day more than a cursor of the feed lives. */
const toldDays = 91;

/** Every transaction there is or was, and the connections whose rows are hidden until they are removed. */
export const transactions: Projection = {
  ...rows,
  correct: correctTransactions,
  tables: [...rows.tables, 'erased_connection'],
  ddl: (table) => [...rows.ddl(table), `CREATE TABLE ${table('erased_connection')} (connection_id uuid PRIMARY KEY)`],
  rowsOf: (event) => {
    const { type, data } = event as Sequenced<TransactionEvent>;
    return type === 'TransactionsRemoved' ? data.transactionIds.length : 1;
  },
  /** Rows of erased connections, once every client that still has a cursor has been told that they are gone. */
  forgets: (table) => ({
    transactions: `r.removed AND r.updated_at < date_trunc('day', now()) - interval '${toldDays} days'
      AND r.connection_id IN (SELECT e.connection_id FROM ${table('erased_connection')} e)`,
  }),
  compared: { json: 'json', versions: 'transaction_versions' },
  streamsOf: streamsOf('transactions'),
  async project(tx, table, batch) {
    await rows.project(tx, table, batch);
    const erased = (batch as readonly Sequenced<TransactionEvent>[]).flatMap(({ type, data }) =>
      type === 'ConnectionErased' ? [data.connectionId] : [],
    );
    if (erased.length === 0) return;
    await tx.query(
      `INSERT INTO ${table('erased_connection')} SELECT unnest($1::uuid[]) ON CONFLICT (connection_id) DO NOTHING`,
      [erased],
    );
  },
};
