import type { Scope } from '@causeway/contracts';
import type { FieldError } from '@causeway/http';
import { createHash } from 'node:crypto';
import { stringify, v7 as uuidV7 } from 'uuid';

/** What a client may send: no white space at either end, nothing that a header cannot carry. */
const acceptable = /^(?=[^\s])[\x20-\x7e\x80-\xff]{1,255}(?<=[^\s])$/;

export const idempotencyHeader = 'idempotency-key';

/** `undefined`: the key is one, or there is none. */
export const faultOfKey = (key: string | undefined): FieldError | undefined =>
  key === undefined || acceptable.test(key)
    ? undefined
    : { path: 'Idempotency-Key', message: 'must be 1 to 255 characters without white space at its ends' };

/**
 * The transfer that a request is about. A key stands for one transfer of its organization and environment, for good: a
 * UUID of version 8 (RFC 9562, 5.8) that is a hash of the three, and of no secret that could change. The same key of
 * another organization, or in the other environment, is another transfer. Without a key, each request is one of its own.
 */
export const transferIdOf = ({ organization, environment }: Scope, key: string | undefined): string => {
  if (key === undefined) return uuidV7();
  const bytes = createHash('sha256')
    .update(JSON.stringify([organization, environment, key]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return stringify(bytes);
};
