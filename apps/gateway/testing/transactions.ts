import type { Pool } from '@causeway/postgres';
import { insert } from './tables.ts';

export type Transaction = Readonly<Record<string, string | null>> & { id: string; updatedAt: string };
/** One event of the feed. */
export type Event = Readonly<{ eventId: string; eventAt: string; type: string; transaction: Transaction }>;

export const uuid = (kind: number, n: number): string => `0000000${kind}-0000-4000-8000-${String(n).padStart(12, '0')}`;
export const microsecond = (n: number): string => `2026-01-01T00:00:00.${String(n).padStart(6, '0')}Z`;
export const day = (n: number): string => `2025-01-${String(n).padStart(2, '0')}`;

/** The n-th change: rows of one table differ in everything that a filter or a sort can ask for. */
export const row = (n: number, changes: object = {}): object => ({
  organization: 'demo',
  environment: 'test',
  id: uuid(1, n),
  entityId: uuid(4, n % 2),
  connectionId: uuid(3, n % 2),
  accountId: uuid(2, n % 4),
  status: n % 5 === 0 ? 'pending' : 'posted',
  postedDate: n % 5 === 0 ? null : day(1 + (n % 9)),
  amount: n % 3 === 0 ? '-1.50' : '10.00',
  currency: 'USD',
  description: `row "${n}" – é`,
  rail: n % 2 === 0 ? 'card' : 'ach',
  customerReference: `ref ${n}`,
  addedAt: microsecond(n),
  updatedAt: microsecond(n),
  eventId: uuid(5, n),
  removed: false,
  ...changes,
});

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
