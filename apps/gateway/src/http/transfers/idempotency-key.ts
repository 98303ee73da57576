import type { Scope } from '@causeway/contracts';
import { invalidRequest, Refused } from '@causeway/http';
import { createHash } from 'node:crypto';
import { stringify, v7 as uuidV7 } from 'uuid';

/** What a client may send: no white space at either end, nothing that a header cannot carry. */
const acceptable = /^(?=[^\s])[\x20-\x7e\x80-\xff]{1,255}(?<=[^\s])$/;
export const isKey = (text: string): boolean => acceptable.test(text);
export const keyMessage = 'must be 1 to 255 characters without white space at its ends';

export const idempotencyHeader = 'idempotency-key';

/** The key of a request, or none; any other is refused. */
export const goodKey = (key: string | undefined): string | undefined => {
  if (key === undefined || isKey(key)) return key;
  throw new Refused(invalidRequest([{ path: 'Idempotency-Key', message: keyMessage }]));
};

/** A UUID of version 8 (RFC 9562, 5.8) that is a hash of the parts, and of no secret that could change. */
const hashId = (...parts: readonly string[]): string => {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return stringify(bytes);
};

/**
 * The transfer that a request is about. A key stands for one transfer of its organization and environment, for good. The
 * same key of another organization, or in the other environment, is another transfer. Without a key, each request is one
 * of its own.
 */
export const transferIdOf = ({ organization, environment }: Scope, key: string | undefined): string =>
  key === undefined ? uuidV7() : hashId(organization, environment, key);

/** The request under a key at another endpoint; null without a key: a request of its own. */
export const requestIdOf = (
  { organization, environment }: Scope,
  endpoint: readonly string[],
  key: string | undefined,
): string | null => (key === undefined ? null : hashId(organization, environment, ...endpoint, key));
