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
  { name: 'postedDate', type: 'date' },
  { name: 'updatedAt', type: 'micros' },
  { name: 'amount', type: 'decimal', plain: true },
  { name: 'currency', type: 'text' },
  { name: 'entryType', type: 'text', plain: true, derived: "CASE WHEN amount < 0 THEN 'debit' ELSE 'credit' END" },
  { name: 'description', type: 'text' },
  { name: 'rail', type: 'text', plain: true },
  { name: 'rawDescription', type: 'text' },
  { name: 'customerReference', type: 'text', singleName: 'paymentReference' },
  { name: 'bankReference', type: 'text' },
  { name: 'baiCode', type: 'text' },
  { name: 'category', type: 'text' },
  { name: 'subcategory', type: 'text' },
  { name: 'mcc', type: 'text' },
  { name: 'merchantName', type: 'text' },
  { name: 'counterpartyName', type: 'text' },
  { name: 'counterpartyAccountMasked', type: 'text', derived: "'••••' || counterparty_account_end" },
];
