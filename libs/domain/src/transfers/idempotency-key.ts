import { accept, reject, type Decider, type Decision } from '@causeway/event-sourcing';
import type { IdempotencyKeyEvent } from './idempotency-key.events.ts';

/** `keyId`: a keyed hash of organization, environment, endpoint and key. */
export type IdempotencyKeyCommand = Readonly<{
  type: 'ClaimKey';
  keyId: string;
  transferId: string;
  fingerprint: string;
  /** How long a claim is kept. */
  keepSeconds: number;
  at: string;
}>;

export type IdempotencyKeyRejection = Readonly<{ code: 'key_reused'; transferId: string }>;

/**
 * What the key deduplicates: any number of requests with one order, at once or within the time it is kept, become one
 * transfer. What it lets through: the same order under another key, or after the claim has expired.
 */
export type IdempotencyKey = Readonly<{ claim: IdempotencyKeyEvent['data'] | null }>;

/** The claim that binds whoever comes at `at`; null when the key is free. */
export const claimAt = ({ claim }: IdempotencyKey, at: string, keepSeconds: number) =>
  claim === null || Date.parse(at) - Date.parse(claim.claimedAt) >= keepSeconds * 1000 ? null : claim;

const decide = (
  key: IdempotencyKey,
  { transferId, fingerprint, keepSeconds, at }: IdempotencyKeyCommand,
): Decision<IdempotencyKeyEvent, IdempotencyKeyRejection> => {
  const claim = claimAt(key, at, keepSeconds);
  if (claim === null) return accept({ type: 'KeyClaimed', data: { transferId, fingerprint, claimedAt: at } });
  return claim.fingerprint === fingerprint ? accept() : reject({ code: 'key_reused', transferId: claim.transferId });
};

export const idempotencyKey: Decider<
  IdempotencyKey,
  IdempotencyKeyCommand,
  IdempotencyKeyEvent,
  IdempotencyKeyRejection
> = {
  initial: { claim: null },
  decide,
  evolve: (_, event) => ({ claim: event.data }),
};
