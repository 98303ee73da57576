import type { Problem } from '@causeway/messaging';

/** One thing wrong with a request. `path`: dotted, as in the request; query parameters by name. */
export type FieldError = Readonly<{ path: string; message: string }>;

/** Told in one answer; who mends these learns of the rest. */
const errorsMax = 20;

export const invalidRequest = (all: readonly FieldError[]): Problem => {
  const errors = all.slice(0, errorsMax);
  return {
    status: 400,
    type: 'invalid_request',
    message: errors.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)).join('; '),
    details: { errors },
  };
};

export const problems = {
  invalidCursor: {
    status: 400,
    type: 'invalid_cursor',
    message: 'The cursor is malformed, or it was issued for another query.',
  },
  cursorExpired: {
    status: 400,
    type: 'cursor_expired',
    message: 'The cursor is older than 90 days: start the feed again and backfill from the list.',
  },
  unauthorized: { status: 401, type: 'unauthorized', message: 'A valid API key or access token is required.' },
  notFound: { status: 404, type: 'not_found', message: 'There is no such resource.' },
  methodNotAllowed: { status: 405, type: 'method_not_allowed', message: 'The resource does not take this method.' },
  payloadTooLarge: {
    status: 413,
    type: 'payload_too_large',
    message: 'The body is larger than any that this endpoint takes.',
  },
  unsupportedMediaType: {
    status: 415,
    type: 'unsupported_media_type',
    message: 'The body must be of the type that this endpoint takes.',
  },
  rateLimited: { status: 429, type: 'rate_limited', message: 'Too many requests.' },
  internalError: { status: 500, type: 'internal_error', message: 'The request could not be completed.' },
  unavailable: {
    status: 503,
    type: 'unavailable',
    message: 'The service cannot answer right now. Repeat the request later.',
  },
} as const satisfies Readonly<Record<string, Problem>>;

/** The request is answered with the problem: thrown by whatever stands between the edge and the answer. */
export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

export const forbidden = (requiredScope: string): Problem => ({
  status: 403,
  type: 'forbidden',
  message: `The credential lacks the scope ${requiredScope}.`,
  details: { requiredScope },
});

/** The body of every answer that is not a success. */
export const errorBody = ({ type, message, details }: Problem, requestId: string) => ({
  type,
  message,
  requestId,
  details: details ?? null,
});
