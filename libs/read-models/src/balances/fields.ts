import type { Field } from '../field.ts';

/** The members of a daily balance, in the order of the responses. Its identity is (accountId, date). */
export const balanceFields: readonly Field[] = [
  { name: 'accountId', type: 'uuid', identifier: true },
  { name: 'connectionId', type: 'uuid', identifier: true },
  { name: 'entityId', type: 'uuid', identifier: true },
  { name: 'date', type: 'date' },
  { name: 'currency', type: 'text' },
  { name: 'ledgerBalance', type: 'decimal' },
  { name: 'postedTransactionDelta', type: 'decimal' },
  { name: 'source', type: 'text', values: ['bankProvided', 'derived'] },
  { name: 'updatedAt', type: 'micros' },
];
