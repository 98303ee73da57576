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
