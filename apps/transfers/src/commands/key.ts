import type { CreateTransferV1 } from '@causeway/contracts';
import {
  canonicalOrder,
  claimAt,
  idempotencyKey,
  type IdempotencyKeyEvent,
  type Order,
} from '@causeway/domain/transfers';
import type { Context } from '@causeway/event-sourcing';
import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { v7 as uuidV7 } from 'uuid';
import type { Commands } from './commands.ts';

/** One request, however often it comes: its key, and what is asked under it. */
export type Keyed = Readonly<{ keyId: string; fingerprint: string }>;

/** Under which the names of keys are hashed. */
export const keySecretFrom = (masterKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, '', 'transfers idempotency keys', 32));

const endpoint = 'POST /v1/transfers';

/**
 * A request without a key of the caller's is known by its message: delivered twice, it is still one request. The
 * stream's name is a keyed hash, so that the list of streams tells nobody's keys.
 */
export const keyedBy = (
  command: CreateTransferV1,
  messageId: string,
  { keySecret }: Pick<Commands, 'keySecret'>,
): Keyed => {
  const { organization, environment, idempotencyKey: key, amount, skipPreflight } = command;
  const name = key === null ? ['message', messageId] : ['key', organization, environment, endpoint, key];
  const order: Order = { ...command, amount, connectionId: '', institutionId: '' };
  return {
    keyId: createHmac('sha256', keySecret).update(JSON.stringify(name)).digest('hex'),
    fingerprint: createHash('sha256').update(canonicalOrder(order, skipPreflight)).digest('hex'),
  };
};

/** The transfer that the same request has claimed before; undefined where none has, or another request. */
export const claimedBefore = async (
  { store, keepKeysSeconds, now }: Commands,
  { keyId, fingerprint }: Keyed,
): Promise<string | undefined> => {
  const history = await store.readStream<IdempotencyKeyEvent>(`reservation-${keyId}`);
  const claim = claimAt(history.reduce(idempotencyKey.evolve, idempotencyKey.initial), now(), keepKeysSeconds);
  return claim?.fingerprint === fingerprint ? claim.transferId : undefined;
};

type Claiming = Pick<Commands, 'aggregates' | 'keepKeysSeconds' | 'now'>;
type Claimed = Readonly<{ transferId: string; reused: boolean }>;

/** The transfer that the key stands for. `reused`: for another request than this. */
export const claim = async (commands: Claiming, keyed: Keyed, context: Context): Promise<Claimed> => {
  const { aggregates, keepKeysSeconds, now } = commands;
  const command = {
    type: 'ClaimKey',
    ...keyed,
    transferId: uuidV7(),
    keepSeconds: keepKeysSeconds,
    at: now(),
  } as const;
  const answer = await aggregates.key(command, context);
  if (answer.outcome === 'rejected') return { transferId: answer.rejection.transferId, reused: true };
  return { transferId: answer.state.claim?.transferId ?? command.transferId, reused: false };
};
