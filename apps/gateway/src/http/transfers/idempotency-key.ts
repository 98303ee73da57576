import type { FieldError } from '@causeway/http';

/** What a client may send: no white space at either end, nothing that a header cannot carry. */
const acceptable = /^(?=[^\s])[\x20-\x7e\x80-\xff]{1,255}(?<=[^\s])$/;

export const idempotencyHeader = 'idempotency-key';

/** `undefined`: the key is one, or there is none. */
export const faultOfKey = (key: string | undefined): FieldError | undefined =>
  key === undefined || acceptable.test(key)
    ? undefined
    : { path: 'Idempotency-Key', message: 'must be 1 to 255 characters without white space at its ends' };
