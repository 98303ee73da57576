/** In clear beside its key, from the start and for good. */
export type KeyOwner = Readonly<{ organization: string; environment: 'live' | 'test' }>;

/**
 * One data key per connection; what the connection's bank said is encrypted under it, wherever it is kept. Destroying
 * the key makes all of it unreadable at once, in the event store, on the bus and in their backups. One per webhook, too,
 * for its secret, and one per organization and environment for those whom it pays. `id`: of whose it is.
 */
export interface DataKeys {
  /** Makes a key; safe to repeat. Throws `DataKeyDestroyed` for one that was destroyed, and for another owner's. */
  create(id: string, owner: KeyOwner): Promise<void>;
  /** Whether the key was made for them; also of one that was destroyed since. */
  isOf(id: string, owner: KeyOwner): Promise<boolean>;
  /** For good. Safe to repeat: resolves each time to when it was done, UTC. */
  destroy(id: string): Promise<string>;
  /**
   * Compressed, then AES-256-GCM; the bytes name their key version and nonce, and are bound to the key's owner and id and
   * to the context. Throws `DataKeyDestroyed`, or for a key never made.
   */
  encrypt(id: string, plain: Buffer, context: string): Promise<Buffer>;
  /** `undefined`: the key was destroyed. Throws `CipherRefused`, or for a key never made. */
  decrypt(id: string, cipher: Buffer, context: string): Promise<Buffer | undefined>;
}

export class DataKeyDestroyed extends Error {}

/** Bytes, context or owner are not the ones encrypted. */
export class CipherRefused extends Error {}
