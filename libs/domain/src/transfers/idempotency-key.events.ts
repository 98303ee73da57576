/**
 * What can have happened to an idempotency key. The stream's name is a keyed hash of it. On disk for good: add a case;
 * never change one.
 */
export type IdempotencyKeyEvent = Readonly<{
  type: 'KeyClaimed';
  data: Readonly<{
    transferId: string;
    /** A hash of the normalized order. */
    fingerprint: string;
    claimedAt: string;
  }>;
}>;
