import type { Booked, LedgerEvent } from '@causeway/domain/ledger';
import { assertNever } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import { differencesMax, type Difference } from '@causeway/projections';
import { balanceDifferences } from './balance-differences.ts';
import type { RemappedPage } from './remap.ts';
import { transactionJson } from './transaction-json.ts';

/** A transaction as lists show it; null: not at all. */
type Shown = Readonly<Record<string, unknown>> | null;
type OfRow = Extract<LedgerEvent, { data: { transactionId: string } }>;
type Read = Extract<OfRow, { data: { content: unknown } }>;

/** What tells rows apart, and when they changed: no difference in what a bank said. */
const untold = ['id', 'connectionId', 'accountId', 'updatedAt'];

const shownAs = ({ data }: Read, status: 'pending' | 'posted' | 'reversed'): Shown => {
  const whose = { id: data.transactionId, connectionId: '', accountId: '', status, updatedAt: '' };
  return JSON.parse(transactionJson(whose, data.content)) as Shown;
};

const turned = (before: Shown, from: string, to: string): Shown =>
  before?.['status'] === from ? { ...before, status: to } : before;

/** What the transactions read model would make of it. */
const after = (before: Shown, event: OfRow): Shown => {
  switch (event.type) {
    case 'TransactionRecorded':
    case 'TransactionReinstated':
      return shownAs(event, event.data.status);
    case 'TransactionPosted':
      return before && shownAs(event, 'posted');
    case 'TransactionRestated':
    case 'TransactionRemapped': {
      const { status } = event.data;
      return before && shownAs(event, status === 'posted' && before['status'] === 'reversed' ? 'reversed' : status);
    }
    case 'TransactionCancelled':
      return before && { ...before, status: 'cancelled' };
    case 'TransactionReversed':
      return turned(before, 'posted', 'reversed');
    case 'TransactionReversalWithdrawn':
      return turned(before, 'reversed', 'posted');
    case 'TransactionWithdrawn':
      return null;
    case 'TransactionRelabelled':
    case 'TransactionCorrected':
      return before;
    default:
      return assertNever(event);
  }
};

const shownNow = async (pool: Pool, ids: readonly string[]): Promise<ReadonlyMap<string, Shown>> => {
  const { rows } = await pool.query<{ id: string; json: string }>(
    `SELECT id, json FROM read_models.transactions_v1 WHERE id = ANY ($1::uuid[]) AND NOT removed`,
    [ids],
  );
  return new Map(rows.map(({ id, json }) => [id, JSON.parse(json) as Shown]));
};

const isOfRow = (event: LedgerEvent): event is OfRow => 'transactionId' in event.data;

const differenceOf = (id: string, before: Shown, now: Shown): Difference | undefined => {
  const change = before === null ? 'added' : now === null ? 'removed' : 'changed';
  const names = Object.keys(now ?? before ?? {}).filter((name) => !untold.includes(name));
  const pairs = names
    .map((name) => [name, [before?.[name] ?? null, now?.[name] ?? null]] as const)
    .filter(([name, [was, is]]) => was !== is && (before === null || now === null || name in before));
  return pairs.length === 0 ? undefined : { id, change, fields: Object.fromEntries(pairs) };
};

type Row = { readonly before: Shown; now: Shown };

/**
 * What clients would see of the changes of a connection, by row and field, its daily balances too. Known once all pages
 * are through: an older page may bring back what a newer one took away.
 */
export const remapDifferences = async function* (
  pool: Pool,
  pages: AsyncIterable<RemappedPage>,
): AsyncGenerator<readonly Difference[]> {
  const rows = new Map<string, Row>();
  const booked = new Map<string, LedgerEvent[]>();
  const show = async (changes: readonly Booked[]): Promise<void> => {
    const events = changes.map(({ event }) => event).filter(isOfRow);
    const unknown = [...new Set(events.map(({ data }) => data.transactionId))].filter((id) => !rows.has(id));
    const shown = unknown.length === 0 ? new Map<string, Shown>() : await shownNow(pool, unknown);
    for (const id of unknown) rows.set(id, { before: shown.get(id) ?? null, now: shown.get(id) ?? null });
    for (const event of events) {
      const row = rows.get(event.data.transactionId)!;
      row.now = after(row.now, event);
    }
  };
  for await (const { accountId, changes } of pages) {
    await show(changes);
    const events = booked.get(accountId) ?? [];
    events.push(...changes.map(({ event }) => event));
    booked.set(accountId, events);
  }
  const found = [...rows].flatMap(([id, { before, now }]) => differenceOf(id, before, now) ?? []);
  for (let from = 0; from < found.length; from += differencesMax) yield found.slice(from, from + differencesMax);
  for (const [accountId, events] of booked) yield await balanceDifferences(pool, accountId, events);
};
