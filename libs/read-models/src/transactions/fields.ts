import type { Field } from '../field.ts';
import { transactionRails, transactionStatuses } from './values.ts';

/**
 * The members of a transaction, in the order of the responses and of the text that a row holds. The single read, `fields`,
 * its validation and the documentation derive from this list.
 */
export const transactionFields: readonly Field[] = [
  { name: 'id', type: 'uuid', identifier: true },
  { name: 'connectionId', type: 'uuid', identifier: true },
  { name: 'accountId', type: 'uuid', identifier: true },
  { name: 'status', type: 'text', values: transactionStatuses },
  { name: 'postedDate', type: 'date', nullable: true },
  { name: 'updatedAt', type: 'micros' },
  { name: 'amount', type: 'decimal' },
  { name: 'currency', type: 'text' },
  { name: 'entryType', type: 'text', values: ['credit', 'debit'] },
  { name: 'description', type: 'text' },
  { name: 'rail', type: 'text', values: transactionRails },
  { name: 'rawDescription', type: 'text', nullable: true },
  { name: 'customerReference', type: 'text', nullable: true, singleName: 'paymentReference' },
  { name: 'bankReference', type: 'text', nullable: true },
  { name: 'baiCode', type: 'text', nullable: true },
  { name: 'category', type: 'text', nullable: true },
  { name: 'subcategory', type: 'text', nullable: true },
  { name: 'mcc', type: 'text', nullable: true },
  { name: 'merchantName', type: 'text', nullable: true },
  { name: 'counterpartyName', type: 'text', nullable: true },
  { name: 'counterpartyAccountMasked', type: 'text', nullable: true },
];
