import { deciderSpec } from '@causeway/event-sourcing/testing';
import type { IdempotencyKeyEvent } from './idempotency-key.events.ts';
import { idempotencyKey, type IdempotencyKeyCommand } from './idempotency-key.ts';

const day = 86_400;
const firstAt = '2026-03-01T10:00:00.000Z';
const claim = (transferId: string, fingerprint: string, at = firstAt): IdempotencyKeyCommand => ({
  type: 'ClaimKey',
  keyId: 'k',
  transferId,
  fingerprint,
  keepSeconds: day,
  at,
});
const claimed = (transferId: string, fingerprint: string, claimedAt = firstAt): IdempotencyKeyEvent => ({
  type: 'KeyClaimed',
  data: { transferId, fingerprint, claimedAt },
});
const justBefore = '2026-03-02T09:59:59.999Z';
const dayLater = '2026-03-02T10:00:00.000Z';

deciderSpec(idempotencyKey, {
  'a free key goes to the first request': { given: [], when: claim('t-1', 'f'), then: [claimed('t-1', 'f')] },
  'the same order again leaves the claim as it is': { given: [claimed('t-1', 'f')], when: claim('t-2', 'f'), then: [] },
  'another order under the key is refused, and the first named': {
    given: [claimed('t-1', 'f')],
    when: claim('t-2', 'g'),
    then: { rejected: { code: 'key_reused', transferId: 't-1' } },
  },
  'the claim holds to the end of its time': {
    given: [claimed('t-1', 'f')],
    when: claim('t-2', 'g', justBefore),
    then: { rejected: { code: 'key_reused', transferId: 't-1' } },
  },
  'after that, the key is free again': {
    given: [claimed('t-1', 'f')],
    when: claim('t-2', 'f', dayLater),
    then: [claimed('t-2', 'f', dayLater)],
  },
});
