import type { AccountDetails, AccountEvent, ConnectionEvent } from '@causeway/domain/connections';
import { categoryOf, idOf, type Sequenced } from '@causeway/event-sourcing';
import { rowProjection } from '@causeway/projections';
import { accountColumns, accountsView, type AccountRow } from '@causeway/read-models';

type Ended = Extract<ConnectionEvent, { type: 'ConnectionDeleted' | 'ConnectionErased' }>;
type Seen = AccountEvent | Ended;

const masked = (number: string): string => `••••${number.slice(-4)}`;

const shown = ({ number, ...details }: Partial<AccountDetails>): Partial<AccountRow> => ({
  ...details,
  ...(number === undefined ? {} : { accountNumber: number, maskedNumber: masked(number) }),
});

/** Accounts go with their connection; after the erasure none of their events can come any more. */
export const applyToAccount = (row: AccountRow | undefined, event: Seen, id: string): AccountRow | undefined => {
  switch (event.type) {
    case 'AccountDiscovered': {
      const { organization, environment, entityId, connectionId, currency, details, discoveredAt: at } = event.data;
      const its = { organization, environment, entityId, id, connectionId, currency, createdAt: at, updatedAt: at };
      return { ...its, ...shown(details) } as AccountRow;
    }
    case 'AccountChanged':
      return row && { ...row, ...shown(event.data.details), updatedAt: event.data.changedAt };
    default:
      return undefined;
  }
};

/** The end of a connection is about each of its accounts. */
export const keysOf = (event: Sequenced): readonly string[] => {
  if (categoryOf(event.stream) === 'account') return [idOf(event.stream)];
  const ends = event.type === 'ConnectionDeleted' || event.type === 'ConnectionErased';
  return ends ? (event as Sequenced<Ended>).data.accountIds : [];
};

export const accounts = rowProjection<AccountRow, Seen>({
  name: 'accounts',
  version: 1,
  table: 'accounts',
  columns: accountColumns,
  key: 'id',
  keysOf,
  opens: (event) => event.type === 'AccountDiscovered',
  apply: applyToAccount,
  indexes: [
    '(organization, environment, created_at, id)',
    '(connection_id, created_at, id)',
    '(entity_id, created_at, id)',
  ],
  views: (table) => accountsView(table),
});
