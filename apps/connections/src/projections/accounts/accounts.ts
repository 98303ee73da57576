import type { AccountDetails, AccountEvent, ConnectionEvent } from '@causeway/domain/connections';
import { assertNever, categoryOf, idOf, type Sequenced } from '@causeway/event-sourcing';
import { rowProjection, type Projection } from '@causeway/projections';
import { accountColumns, accountsView, type AccountRow } from '@causeway/read-models';

const masked = (number: string): string => `••••${number.slice(-4)}`;

const shown = ({ number, ...details }: Partial<AccountDetails>): Partial<AccountRow> => ({
  ...details,
  ...(number === undefined ? {} : { accountNumber: number, maskedNumber: masked(number) }),
});

export const applyToAccount = (
  row: AccountRow | undefined,
  event: AccountEvent,
  id: string,
): AccountRow | undefined => {
  switch (event.type) {
    case 'AccountDiscovered': {
      const { organization, environment, entityId, connectionId, currency, details, discoveredAt: at } = event.data;
      const its = { organization, environment, entityId, id, connectionId, currency, createdAt: at, updatedAt: at };
      return { ...its, ...shown(details) } as AccountRow;
    }
    case 'AccountChanged':
      return row && { ...row, ...shown(event.data.details), updatedAt: event.data.changedAt };
    default:
      return assertNever(event);
  }
};

const rows = rowProjection<AccountRow, AccountEvent>({
  name: 'accounts',
  version: 2,
  table: 'accounts',
  columns: accountColumns,
  key: 'id',
  written: [
    ...(['name', 'officialName', 'accountNumber', 'maskedNumber'] as const),
    ...(['routingNumber', 'swiftBic', 'currentBalance', 'availableBalance'] as const),
  ],
  keysOf: ({ stream }: Sequenced) => (categoryOf(stream) === 'account' ? [idOf(stream)] : []),
  opens: (event) => event.type === 'AccountDiscovered',
  apply: applyToAccount,
  indexes: [
    '(organization, environment, created_at, id)',
    '(connection_id, created_at, id)',
    '(entity_id, created_at, id)',
  ],
  views: (table) => accountsView(table),
});

/** Accounts go with their connection; so does one that a run under way brings after its end. */
export const accounts: Projection = {
  ...rows,
  tables: [...rows.tables, 'deleted_connection'],
  ddl: (table) => [...rows.ddl(table), `CREATE TABLE ${table('deleted_connection')} (id uuid PRIMARY KEY)`],
  async project(tx, table, batch) {
    await rows.project(tx, table, batch);
    const events = batch as readonly Sequenced<AccountEvent | ConnectionEvent>[];
    const deleted = events.flatMap(({ type, stream }) => (type === 'ConnectionDeleted' ? [idOf(stream)] : []));
    if (deleted.length > 0) {
      await tx.query(`INSERT INTO ${table('deleted_connection')} SELECT unnest($1::uuid[])`, [deleted]);
    }
    const met = events.flatMap(({ type, data }) => (type === 'AccountDiscovered' ? [data.connectionId] : []));
    if (deleted.length + met.length === 0) return;
    await tx.query(
      `DELETE FROM ${table('accounts')} a USING ${table('deleted_connection')} d
        WHERE d.id = ANY ($1::uuid[]) AND a.connection_id = d.id`,
      [[...deleted, ...met]],
    );
  },
};
