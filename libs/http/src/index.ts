export { acceptedRequestId } from './request-id.ts';
export { errorBody, forbidden, invalidRequest, problems } from './problem.ts';
export type { FieldError } from './problem.ts';
export {
  choice,
  choiceOr,
  cursor,
  date,
  dateTime,
  fieldNames,
  isDate,
  isUuid,
  limit,
  parseQuery,
  pattern,
  text,
  uuid,
} from './parameters.ts';
export type { Shape, ValuesOf } from './parameters.ts';
export { cursors } from './cursors.ts';
export type { CursorBinding, Cursors } from './cursors.ts';
export { tokenBuckets } from './rate-limit.ts';
export type { Allowance, RateLimit } from './rate-limit.ts';
export { parseBody, parseNoBody } from './body.ts';
export { IsShape } from './shape.ts';
