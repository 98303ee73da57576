import { changedJson, removedJson, transactionJson } from '@causeway/booking';
import type { ErasureEvent, LedgerEvent, TransactionContent } from '@causeway/domain/ledger';
import { assertNever, idOf, type Sequenced } from '@causeway/event-sourcing';
import { changeBy, type Change } from './transaction-change.ts';
import type { TransactionEvent } from './transaction-event.ts';
import type { TransactionRow } from './transactions.table.ts';

const others = [
  'LedgerOpened',
  'TransactionRelabelled',
  'BalanceReported',
  'BalanceRemapped',
  'BalanceCorrected',
  'PageBooked',
  'ConnectionErased',
  'AccountErased',
  'SourceErased',
  'ReceiptIssued',
  'StatementProgressed',
  'StatementSetAside',
  'PaymentsBooked',
  'StatementBooked',
] as const satisfies readonly TransactionEvent['type'][];
type Other = Extract<TransactionEvent, Readonly<{ type: (typeof others)[number] }>>;

/** Events that no transaction is shown differently by. */
const isOther = (event: TransactionEvent): event is Other => (others as readonly string[]).includes(event.type);

/** The transactions an event is about. */
export const transactionsOf = (event: TransactionEvent): readonly string[] => {
  switch (event.type) {
    case 'TransactionRecorded':
    case 'TransactionReinstated':
    case 'TransactionPosted':
    case 'TransactionRestated':
    case 'TransactionCancelled':
    case 'TransactionWithdrawn':
    case 'TransactionReversed':
    case 'TransactionReversalWithdrawn':
    case 'TransactionRemapped':
    case 'TransactionCorrected':
      return [event.data.transactionId];
    case 'TransactionsRemoved':
      return event.data.transactionIds;
    default:
      return isOther(event) ? [] : assertNever(event);
  }
};

export const opensTransaction = ({ type }: TransactionEvent): boolean => type === 'TransactionRecorded';

type Whose = Pick<
  TransactionRow,
  'id' | 'organization' | 'environment' | 'entityId' | 'connectionId' | 'accountId' | 'addedAt'
>;

const listed = (
  whose: Whose,
  status: 'pending' | 'posted' | 'reversed',
  content: TransactionContent,
  change: Change,
): TransactionRow => ({
  id: whose.id,
  organization: whose.organization,
  environment: whose.environment,
  entityId: whose.entityId,
  connectionId: whose.connectionId,
  accountId: whose.accountId,
  status,
  rail: content.rail,
  sortDate: content.postedDate ?? 'infinity',
  addedAt: whose.addedAt,
  updatedAt: change.updatedAt,
  eventId: change.eventId,
  cause: change.cause,
  reason: change.reason,
  operator: change.operator,
  removed: false,
  json: transactionJson({ ...whose, status, updatedAt: change.updatedAt }, content),
});

/** Nothing of the bank's is left; the ids and the time stay, so that the feed can tell. */
const gone = (whose: Whose, change: Change): TransactionRow => ({
  ...whose,
  ...{ status: null, rail: null, sortDate: null, removed: true },
  ...change,
  json: removedJson({ ...whose, updatedAt: change.updatedAt }),
});

type Shown = Sequenced<Extract<LedgerEvent, { type: 'TransactionRecorded' | 'TransactionReinstated' }>>;

const shown = (event: Shown, before: TransactionRow | undefined): TransactionRow => {
  const change = changeBy(event);
  const { transactionId: id, entityId, connectionId, status, content } = event.data;
  const { organization, environment } = event.metadata;
  const accountId = idOf(event.stream);
  const addedAt = before?.addedAt ?? change.updatedAt;
  return listed({ id, organization, environment, entityId, connectionId, accountId, addedAt }, status, content, change);
};

/** A removal is told also of rows that were not seen to be there: after an erasure, it is all that is left to rebuild from. */
const erased = (
  event: Sequenced<Extract<ErasureEvent, { type: 'TransactionsRemoved' }>>,
  id: string,
): TransactionRow => {
  const { organization, environment } = event.metadata;
  const { entityId, connectionId, accountId } = event.data;
  const change = changeBy(event);
  const whose = { id, organization, environment, entityId, connectionId, accountId, addedAt: change.updatedAt };
  return gone(whose, change);
};

/** As it was folded so far, at the head of the feed; of one that is no more, as much as the feed tells. */
const corrected = (
  event: Sequenced<Extract<LedgerEvent, { type: 'TransactionCorrected' }>>,
  row: TransactionRow | undefined,
): TransactionRow | undefined => {
  const { transactionId: id, entityId, connectionId, change: kind } = event.data;
  const { organization, environment } = event.metadata;
  const change = changeBy(event);
  if (row === undefined && kind !== 'removed') return undefined;
  const accountId = idOf(event.stream);
  const whose = { id, organization, environment, entityId, connectionId, accountId, addedAt: change.updatedAt };
  if (row === undefined || row.removed || kind === 'removed') return gone({ ...whose, ...row }, change);
  const addedAt = kind === 'added' ? change.updatedAt : row.addedAt;
  return { ...row, addedAt, ...change, json: changedJson(row.json, { updatedAt: change.updatedAt }) };
};

const restatus = (
  row: TransactionRow,
  status: 'posted' | 'reversed' | 'cancelled',
  change: Change,
): TransactionRow => ({
  ...row,
  status,
  ...change,
  json: changedJson(row.json, { status, updatedAt: change.updatedAt }),
});

type Turn = Sequenced<Extract<LedgerEvent, { type: 'TransactionReversed' | 'TransactionReversalWithdrawn' }>>;

const turned = (row: TransactionRow, event: Turn): TransactionRow => {
  const [from, to] =
    event.type === 'TransactionReversed' ? (['posted', 'reversed'] as const) : (['reversed', 'posted'] as const);
  return row.status === from ? restatus(row, to, changeBy(event)) : row;
};

type SeenAgain = Extract<LedgerEvent, { type: 'TransactionPosted' | 'TransactionRestated' | 'TransactionRemapped' }>;

/** The bank shows a row that it took back as posted still. */
const statusAfter = ({ status }: TransactionRow, { type, data }: SeenAgain): 'pending' | 'posted' | 'reversed' => {
  if (type === 'TransactionPosted') return 'posted';
  return status === 'reversed' && data.status === 'posted' ? status : data.status;
};

/** `updatedAt` is the event's `recordedAt`, and moves with every change that a client can see and with no other. */
export const applyToTransaction = (
  row: TransactionRow | undefined,
  event: Sequenced<TransactionEvent>,
  id: string,
): TransactionRow | undefined => {
  switch (event.type) {
    case 'TransactionRecorded':
    case 'TransactionReinstated':
      return shown(event, row);
    case 'TransactionPosted':
    case 'TransactionRestated':
    case 'TransactionRemapped':
      return row && listed(row, statusAfter(row, event), event.data.content, changeBy(event));
    case 'TransactionCancelled':
      return row && restatus(row, 'cancelled', changeBy(event));
    case 'TransactionReversed':
    case 'TransactionReversalWithdrawn':
      return row && turned(row, event);
    case 'TransactionWithdrawn':
      return row && gone(row, changeBy(event));
    case 'TransactionCorrected':
      return corrected(event, row);
    case 'TransactionsRemoved':
      return erased(event, id);
    default:
      return isOther(event) ? row : assertNever(event);
  }
};
