import { equals, where, holds, type Query } from '../query.ts';

/** `expected`: the balance of the day before and what was posted on the day; `difference`: what the bank states more. */
export type Discrepancy = Readonly<{
  accountId: string;
  date: string;
  expected: string;
  reported: string;
  difference: string;
}>;

export type DiscrepancyFilters = Readonly<{
  accountId?: string | undefined;
  connectionId?: string | undefined;
  organization?: string | undefined;
}>;

const walked = 'before.ledger_balance + b.posted_transaction_delta';

/**
 * Days whose balance is not that of the day before and what was posted: the bank states another. One wrong statement shows
 * on two days, its own and the next stated one, which leads back.
 */
export const discrepancies = ({ accountId, connectionId, organization }: DiscrepancyFilters): Query => {
  const values: unknown[] = [];
  const conditions = [
    holds(`b.ledger_balance <> ${walked}`),
    equals('b.account_id', 'uuid', accountId),
    equals('b.connection_id', 'uuid', connectionId),
    equals('b.organization', 'text', organization),
  ];
  return {
    text: `SELECT b.account_id AS "accountId", b.date, ${walked} AS expected, b.ledger_balance AS reported,
                  b.ledger_balance - (${walked}) AS difference
             FROM read_models.balances_v1 b
             JOIN read_models.balances_v1 before ON before.account_id = b.account_id AND before.date = b.date - 1
             ${where(conditions, values)} ORDER BY b.account_id, b.date`,
    values,
  };
};
