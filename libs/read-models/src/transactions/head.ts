import { viewStatements } from '../view.ts';

/**
 * One row (position, recorded_at): how far the transactions have come. A transaction that changes from now on has a later
 * `updated_at`; so this is where the feed of a caller without a cursor starts. `head`: the owner's SELECT of it.
 */
export const transactionsHeadView = (head: string): readonly string[] => viewStatements('transactions_head_v1', head);
