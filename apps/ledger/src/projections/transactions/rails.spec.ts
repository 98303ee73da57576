import { rails } from '@causeway/domain/ledger';
import { transactionRails } from '@causeway/read-models';

test('the rails that lists filter by are the rails that a mapping may name', () => {
  expect([...transactionRails]).toEqual([...rails]);
});
