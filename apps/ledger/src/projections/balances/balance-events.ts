import {
  balanceFactsOf,
  type BalanceChange,
  type BookingEvent,
  type ErasureEvent,
  type LedgerEvent,
  type ReceiptEvent,
} from '@causeway/domain/ledger';
import { idOf, timestampOf, type Sequenced } from '@causeway/event-sourcing';
import type { BalanceAccountRow } from './balances.table.ts';

/** All that the ledger's store holds. */
export type BalanceEvent = LedgerEvent | ErasureEvent | ReceiptEvent | BookingEvent;

/** What a batch means: accounts that are new, what changes per account, and connections that are gone. */
export type BalanceBatch = Readonly<{
  opened: ReadonlyMap<string, BalanceAccountRow>;
  changes: ReadonlyMap<string, readonly BalanceChange[]>;
  erased: readonly string[];
}>;

type Opened = Sequenced<Extract<LedgerEvent, { type: 'LedgerOpened' }>>;

const openedBy = ({ data, metadata: { organization, environment } }: Opened): BalanceAccountRow => {
  const { entityId, connectionId, accountId, currency } = data;
  const none = { firstDay: null, lastDay: null, firstAnchor: null };
  return { organization, environment, entityId, connectionId, accountId, currency, ...none };
};

/** The page by its place, which no other page of the connection has. */
const changeBy = (event: Sequenced<BalanceEvent>, facts: BalanceChange['facts']): BalanceChange => {
  const { place } = event.metadata;
  const { reason = null, operator = null } = event.data as { reason?: string; operator?: string };
  const told = { at: timestampOf(event.recordedAt), eventId: event.id, reason, operator, facts };
  return { ...told, place: place === undefined ? null : String(place) };
};

export const balanceBatchOf = (events: readonly Sequenced<BalanceEvent>[]): BalanceBatch => {
  const opened = new Map<string, BalanceAccountRow>();
  const changes = new Map<string, BalanceChange[]>();
  const erased: string[] = [];
  for (const event of events) {
    switch (event.type) {
      case 'LedgerOpened':
        opened.set(event.data.accountId, openedBy(event));
        break;
      case 'ConnectionErased':
        erased.push(event.data.connectionId);
        break;
      case 'TransactionsRemoved':
      case 'AccountErased':
      case 'SourceErased':
      case 'ReceiptIssued':
      case 'StatementProgressed':
      case 'StatementSetAside':
      case 'PaymentsBooked':
      case 'StatementBooked':
        break;
      default: {
        const facts = balanceFactsOf(event);
        if (facts.length === 0) break;
        const accountId = idOf(event.stream);
        const change = changeBy(event, facts);
        const earlier = changes.get(accountId);
        if (earlier === undefined) changes.set(accountId, [change]);
        else earlier.push(change);
      }
    }
  }
  return { opened, changes, erased };
};
