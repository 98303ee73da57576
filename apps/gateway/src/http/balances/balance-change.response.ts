import { balanceFields } from '@causeway/read-models';
import { changeSchema } from '../edge/history.ts';
import { schemaOfFields } from '../openapi/fields.ts';

const causes = ['derived', 'reported', 'restated', 'withdrawn', 'remapped', 'corrected'];

export const balanceChangeSchema = changeSchema('BalanceChange', causes, {
  balance: schemaOfFields('Balance', balanceFields, 'list'),
});
