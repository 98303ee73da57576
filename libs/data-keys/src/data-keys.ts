/**
 * One data key per connection; what the connection's bank said is encrypted under it, wherever it is kept. Destroying
 * the key makes all of it unreadable at once, in the event store, on the bus and in their backups.
 */
export interface DataKeys {
  /** Makes the key of a connection; safe to repeat. Throws `DataKeyDestroyed` for one that was destroyed. */
  create(connectionId: string): Promise<void>;
  /** For good. Safe to repeat. */
  destroy(connectionId: string): Promise<void>;
  /** Compressed, then AES-256-GCM; the bytes name their key version and nonce. Throws `DataKeyDestroyed`, or for a key never made. */
  encrypt(connectionId: string, plain: Buffer, context: string): Promise<Buffer>;
  /** `undefined`: the key was destroyed. Throws when the bytes or the context are not the ones encrypted. */
  decrypt(connectionId: string, cipher: Buffer, context: string): Promise<Buffer | undefined>;
  /** For secrets of ours that no connection owns (webhook secrets): under the master key. */
  seal(plain: Buffer, context: string): Buffer;
  unseal(cipher: Buffer, context: string): Buffer;
}

export class DataKeyDestroyed extends Error {}
