import type { ErasureFacts } from './receipt.ts';
import type { ErasureEvent, SourceErased } from './ledger.events.ts';

/** All that a receipt says of what the ledger and the connections service have destroyed, once both have. */
export const erasureFacts = (
  erased: readonly ErasureEvent[],
  source: SourceErased,
  { balances, completedAt }: Readonly<{ balances: number; completedAt: string }>,
): ErasureFacts => {
  const transactions = new Set<string>();
  let { events } = source;
  for (const event of erased) {
    if (event.type === 'TransactionsRemoved') for (const id of event.data.transactionIds) transactions.add(id);
    if (event.type === 'AccountErased') events += event.data.events;
  }
  const { connectionId, deletedAt: requestedAt, keyDestroyedAt, accounts } = source;
  const rows = { accounts, transactions: transactions.size, balances, events };
  return { connectionId, requestedAt, keyDestroyedAt, completedAt, rows };
};
