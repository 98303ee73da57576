import fc from 'fast-check';
import { v5 } from 'uuid';
import { transactionIds } from './transaction-ids.ts';

test('an id is the version 5 UUID of account and key in the connection’s namespace', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), fc.string({ unit: 'grapheme' }), (connectionId, accountId, key) => {
      expect(transactionIds(connectionId, accountId)(key)).toBe(v5(`${accountId}|${key}`, connectionId));
    }),
  );
});

test('what is no UUID is no namespace', () => {
  expect(() => transactionIds('connection', 'account')).toThrow(RangeError);
});
