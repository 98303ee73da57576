/**
 * One data key per connection; what the connection's bank said is encrypted under it, wherever it is kept. Destroying
 * the key makes all of it unreadable at once, in the event store, on the bus and in their backups. One per webhook, too,
 * for its secret. `id`: of the connection or the webhook.
 */
export interface DataKeys {
  /** Makes a key; safe to repeat. Throws `DataKeyDestroyed` for one that was destroyed. */
  create(id: string): Promise<void>;
  /** For good. Safe to repeat. */
  destroy(id: string): Promise<void>;
  /** Compressed, then AES-256-GCM; the bytes name their key version and nonce. Throws `DataKeyDestroyed`, or for a key never made. */
  encrypt(id: string, plain: Buffer, context: string): Promise<Buffer>;
  /** `undefined`: the key was destroyed. Throws when the bytes or the context are not the ones encrypted. */
  decrypt(id: string, cipher: Buffer, context: string): Promise<Buffer | undefined>;
}

export class DataKeyDestroyed extends Error {}
