import { transactionFields } from '@causeway/read-models';
import { changeSchema } from '../edge/history.ts';
import { schemaOfFields } from '../openapi/fields.ts';

const causes = [
  ...['recorded', 'posted', 'restated', 'reversed', 'cancelled', 'withdrawn', 'reinstated', 'remapped', 'corrected'],
];

export const transactionChangeSchema = changeSchema('TransactionChange', causes, {
  transaction: { anyOf: [schemaOfFields('Transaction', transactionFields, 'list'), { type: 'null' }] },
});
