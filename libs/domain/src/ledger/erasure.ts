import type { ErasureEvent, SourceErased } from './ledger.events.ts';

/** What was destroyed of a connection, and when (UTC). Ids, times and numbers: nothing that a bank said. */
export type ErasureFacts = Readonly<{
  connectionId: string;
  requestedAt: string;
  keyDestroyedAt: string;
  completedAt: string;
  rows: Readonly<{ accounts: number; transactions: number; balances: number; events: number }>;
}>;

/** `keyId`: the `kid` of the key that signed; `signature`: Ed25519, in base64, over all the rest. */
export type ErasureReceipt = ErasureFacts & Readonly<{ keyId: string; signature: string }>;

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
