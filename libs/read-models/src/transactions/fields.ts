import type { Field } from '../field.ts';

/**
 * The members of a transaction, in the order of the responses. The view, the list, the single read, the sync feed,
 * `fields` and its validation all derive from this list: a new field is one line here.
 */
export const transactionFields: readonly Field[] = [
  { name: 'id', type: 'uuid', identifier: true },
  { name: 'connectionId', type: 'uuid', identifier: true },
  { name: 'accountId', type: 'uuid', identifier: true },
  { name: 'status', type: 'text', plain: true },
  { name: 'postedDate', type: 'date', nullable: true },
  { name: 'updatedAt', type: 'micros' },
  { name: 'amount', type: 'decimal', plain: true },
  { name: 'currency', type: 'text' },
  { name: 'entryType', type: 'text', plain: true, derived: "CASE WHEN amount < 0 THEN 'debit' ELSE 'credit' END" },
  { name: 'description', type: 'text' },
  { name: 'rail', type: 'text', plain: true },
  { name: 'rawDescription', type: 'text', nullable: true },
  { name: 'customerReference', type: 'text', nullable: true, singleName: 'paymentReference' },
  { name: 'bankReference', type: 'text', nullable: true },
  { name: 'baiCode', type: 'text', nullable: true },
  { name: 'category', type: 'text', nullable: true },
  { name: 'subcategory', type: 'text', nullable: true },
  { name: 'mcc', type: 'text', nullable: true },
  { name: 'merchantName', type: 'text', nullable: true },
  { name: 'counterpartyName', type: 'text', nullable: true },
  { name: 'counterpartyAccountMasked', type: 'text', nullable: true, derived: "'••••' || counterparty_account_end" },
];
