import { transactionContent, type TransactionContent } from '@causeway/domain/ledger';
import { plain } from '@causeway/money';
import { storable } from '@causeway/projections';

export type Shown = Readonly<{
  id: string;
  connectionId: string;
  accountId: string;
  status: 'pending' | 'posted' | 'reversed';
  updatedAt: string;
}>;

/** The text of a transaction, its members in the order of `transactionFields`. */
export const transactionJson = (shown: Shown, told: TransactionContent): string => {
  // An event older than a field says nothing of it.
  const content = transactionContent(told);
  const amount = plain(content.amount);
  const end = content.counterpartyAccountEnd;
  return storable(
    JSON.stringify({
      id: shown.id,
      connectionId: shown.connectionId,
      accountId: shown.accountId,
      status: shown.status,
      postedDate: content.postedDate,
      updatedAt: shown.updatedAt,
      amount,
      currency: content.currency,
      entryType: amount.startsWith('-') ? 'debit' : 'credit',
      description: content.description,
      rail: content.rail,
      rawDescription: content.rawDescription,
      customerReference: content.customerReference,
      bankReference: content.bankReference,
      baiCode: content.baiCode,
      category: content.category,
      subcategory: content.subcategory,
      mcc: content.mcc,
      merchantName: content.merchantName,
      counterpartyName: content.counterpartyName,
      counterpartyAccountMasked: end === null ? null : `••••${end}`,
    }),
  );
};

/** The same with some members changed. */
export const changedJson = (json: string, change: Readonly<Record<string, string>>): string =>
  JSON.stringify({ ...(JSON.parse(json) as object), ...change });

/** All that is shown of a removed one: ids and time, and nothing of the bank's. */
export const removedJson = ({ id, connectionId, accountId, updatedAt }: Omit<Shown, 'status'>): string =>
  JSON.stringify({ id, connectionId, accountId, updatedAt });
