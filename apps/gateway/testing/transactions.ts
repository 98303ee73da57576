import type { Pool } from '@causeway/postgres';
import { insert } from './tables.ts';

export type Transaction = Readonly<Record<string, string | null>> & { id: string; updatedAt: string };
/** One event of the feed. */
export type Event = Readonly<{ eventId: string; eventAt: string; type: string; transaction: Transaction }>;

export const uuid = (kind: number, n: number): string => `0000000${kind}-0000-4000-8000-${String(n).padStart(12, '0')}`;
export const microsecond = (n: number): string => `2026-01-01T00:00:00.${String(n).padStart(6, '0')}Z`;
export const day = (n: number): string => `2025-01-${String(n).padStart(2, '0')}`;

/** What the bank said of the n-th row, and what else of it a client sees. */
const shownOf = (n: number) => ({
  ...{ id: uuid(1, n), connectionId: uuid(3, n % 2), accountId: uuid(2, n % 4) },
  status: n % 5 === 0 ? 'pending' : 'posted',
  postedDate: n % 5 === 0 ? null : day(1 + (n % 9)),
  updatedAt: microsecond(n),
  ...{ amount: n % 3 === 0 ? '-1.50' : '10.00', currency: 'USD', entryType: n % 3 === 0 ? 'debit' : 'credit' },
  ...{ description: `row "${n}", "customerReference": é`, rail: n % 2 === 0 ? 'card' : 'ach', rawDescription: null },
  ...{ customerReference: `ref ${n}`, bankReference: null, baiCode: null, category: null, subcategory: null },
  ...{ mcc: null, merchantName: null, counterpartyName: null, counterpartyAccountMasked: null },
});

/** A row of the table that shows this. */
const rowOf = (shown: ReturnType<typeof shownOf>, n: number): object => ({
  ...{ organization: 'demo', environment: 'test', entityId: uuid(4, n % 2) },
  ...{ id: shown.id, connectionId: shown.connectionId, accountId: shown.accountId },
  ...{ status: shown.status, rail: shown.rail, sortDate: shown.postedDate ?? 'infinity' },
  ...{ addedAt: microsecond(n), updatedAt: shown.updatedAt, eventId: uuid(5, n), removed: false },
  json: JSON.stringify(shown),
});

/** The n-th change: rows of one table differ in everything that a filter or a sort can ask for. */
export const row = (n: number, change: Partial<ReturnType<typeof shownOf>> = {}): object =>
  rowOf({ ...shownOf(n), ...change }, n);

type Change = Readonly<{ at: number; addedAt?: number; eventId?: number }>;

/** The n-th row as another change has left it. */
export const changedRow = (n: number, { at, addedAt = n, eventId = at }: Change): object => ({
  ...row(n, { updatedAt: microsecond(at) }),
  ...{ addedAt: microsecond(addedAt), eventId: uuid(5, eventId) },
});

export const removedRow = (n: number, change: Change): object => {
  const { id, connectionId, accountId } = shownOf(n);
  const json = JSON.stringify({ id, connectionId, accountId, updatedAt: microsecond(change.at) });
  return { ...changedRow(n, change), ...{ removed: true, status: null, rail: null, sortDate: null }, json };
};

export const rowsMax = 60;

/** The first `rowsMax` rows, and nothing else. */
export const seedTransactions = async (pool: Pool): Promise<void> => {
  await pool.query('TRUNCATE owners.transactions, owners.erased_connection');
  await insert(
    pool,
    'transactions',
    Array.from({ length: rowsMax }, (_, n) => row(n + 1)),
  );
};
