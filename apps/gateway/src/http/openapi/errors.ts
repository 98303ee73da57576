import { forbidden, invalidRequest, problems, type JsonSchema } from '@causeway/http';
import type { Problem } from '@causeway/messaging';
import type { Operation } from '../edge/operations.ts';
import type { Components } from './shapes.ts';

const text = { type: 'string' };

export const requestIdHeader = {
  'X-Request-Id': { schema: text, description: 'The id of the request, given or made.' },
};

export const errorSchema: JsonSchema = {
  type: 'object',
  required: ['type', 'message', 'requestId', 'details'],
  properties: {
    type: { ...text, description: 'What went wrong, for programs.' },
    message: { ...text, description: 'What went wrong, for people. May change.' },
    requestId: { type: ['string', 'null'] },
    details: { type: ['object', 'null'] },
    error: { ...text, description: 'At /oauth/token alone: the word of RFC 6749.' },
    error_description: { ...text, description: 'At /oauth/token alone: the message once more.' },
  },
};

/** One of each type; details as they come. */
export const examples = {
  invalid_request: invalidRequest([{ path: 'limit', message: 'must be a whole number from 1 to 500' }]),
  invalid_cursor: problems.invalidCursor,
  cursor_expired: problems.cursorExpired,
  preflight_failed: {
    status: 400,
    type: 'preflight_failed',
    message: 'The account does not hold enough.',
    details: { errors: [{ path: 'amount.value', message: 'is more than the account holds' }] },
  },
  unauthorized: problems.unauthorized,
  forbidden: forbidden('transfers:write'),
  not_found: problems.notFound,
  conflict: { status: 409, type: 'conflict', message: 'This was done already, or cannot be done now.' },
  payload_too_large: problems.payloadTooLarge,
  unsupported_media_type: problems.unsupportedMediaType,
  rate_limited: { ...problems.rateLimited, details: { retryAfterSeconds: 1 } },
  internal_error: problems.internalError,
  unavailable: problems.unavailable,
} as const satisfies Readonly<Record<string, Problem>>;

type ErrorType = keyof typeof examples;

const takesBody = ({ method }: Operation): boolean => method !== 'GET';
const pages = ({ query }: Operation): boolean => query !== null && Object.hasOwn(new query(), 'cursor');

/** The types of errors that an operation may answer with: what follows from what it takes, and what it says itself. */
const typesOf = (operation: Operation): readonly ErrorType[] => [
  'invalid_request',
  ...(pages(operation) ? (['invalid_cursor'] as const) : []),
  ...(operation.scope === null ? [] : (['unauthorized', 'forbidden', 'rate_limited'] as const)),
  ...(operation.isLimitedByAddress ? (['rate_limited'] as const) : []),
  ...(operation.targets.length > 0 ? (['not_found'] as const) : []),
  ...(takesBody(operation) ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
  ...operation.refuses,
  'internal_error',
  'unavailable',
];

const headersOf: Readonly<Record<number, JsonSchema>> = {
  401: { 'WWW-Authenticate': { schema: text } },
  429: { 'Retry-After': { schema: { type: 'integer' }, description: 'In seconds.' } },
  503: { 'Retry-After': { schema: { type: 'integer' }, description: 'In seconds.' } },
};

/** `types`: of one status. */
const refusalWith = (types: readonly ErrorType[]): JsonSchema => ({
  description: types.map((type) => examples[type].message).join(' Or: '),
  headers: { ...requestIdHeader, ...types.map((type) => headersOf[examples[type].status])[0] },
  content: {
    'application/json': {
      schema: { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { type: { enum: types } } }] },
      examples: Object.fromEntries(types.map((type) => [type, { value: exampleOf(type) }])),
    },
  },
});

const exampleOf = (type: ErrorType): JsonSchema => {
  const { message, details } = examples[type] as Problem;
  return { type, message, requestId: '018f3f5e-6d2a-7c11-9a53-2f6f0c1d2e3f', details: details ?? null };
};

const nameOf = (types: readonly ErrorType[]): string =>
  types
    .map((type) =>
      type
        .split('_')
        .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
        .join(''),
    )
    .join('Or');

const referred = (name: string): JsonSchema => ({ $ref: `#/components/responses/${name}` });

const unread = {
  description: 'What the HTTP server itself refuses: a request too slow (408), too long (431) or not understood.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

/** The responses of an operation that are no success, by status. */
export const refusalsOf = (operation: Operation, { responses }: Components): JsonSchema => {
  const types = typesOf(operation).filter((type) => !operation.answer.statuses.includes(examples[type].status));
  const statuses = [...new Set(types.map((type) => examples[type].status))].sort((a, b) => a - b);
  const referredWith = (status: number): JsonSchema => {
    const those = types.filter((type) => examples[type].status === status);
    responses.set(nameOf(those), refusalWith(those));
    return referred(nameOf(those));
  };
  responses.set('Unread', unread);
  return {
    ...Object.fromEntries(statuses.map((status) => [status, referredWith(status)])),
    default: referred('Unread'),
  };
};
