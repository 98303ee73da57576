import { erasureFacts } from './erasure.ts';
import type { ErasureEvent, SourceErased } from './ledger.events.ts';

const connectionId = 'c-1';
const source: SourceErased = {
  ...{ connectionId, accounts: 2, events: 9 },
  ...{ deletedAt: '2026-03-01T10:00:00Z', keyDestroyedAt: '2026-03-01T10:00:01Z', erasedAt: '2026-03-01T10:00:02Z' },
};
const closed: ErasureEvent = { type: 'ConnectionErased', data: { connectionId, erasedAt: '2026-03-01T10:00:01Z' } };
const removed = (accountId: string, ...transactionIds: string[]): ErasureEvent => ({
  type: 'TransactionsRemoved',
  data: { entityId: 'e-1', connectionId, accountId, transactionIds },
});
const account = (accountId: string, events: number): ErasureEvent => ({
  type: 'AccountErased',
  data: { connectionId, accountId, events },
});

test.each([
  ['nothing was booked', [closed], { transactions: 0, events: 9 }],
  ['an account has none', [closed, account('a-1', 1)], { transactions: 0, events: 10 }],
  [
    'there are several',
    [closed, removed('a-1', 't-1', 't-2'), removed('a-1', 't-3'), account('a-1', 6), account('a-2', 4)],
    { transactions: 3, events: 19 },
  ],
  ['one was told twice', [closed, removed('a-1', 't-1'), removed('a-1', 't-1')], { transactions: 1, events: 9 }],
])('a receipt counts transactions and events of all accounts where %s', (_, erased, counted) => {
  const facts = erasureFacts(erased, source, { balances: 30, completedAt: '2026-03-01T10:00:05Z' });
  expect(facts).toEqual({
    ...{ connectionId, requestedAt: source.deletedAt, keyDestroyedAt: source.keyDestroyedAt },
    ...{ completedAt: '2026-03-01T10:00:05Z', rows: { accounts: 2, balances: 30, ...counted } },
  });
});
