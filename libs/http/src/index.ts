export { acceptedRequestId } from './request-id.ts';
export { errorBody, forbidden, invalidRequest, problems, Refused } from './problem.ts';
export type { FieldError } from './problem.ts';
export { isDate, isDateTime, isUuid } from './formats.ts';
export {
  AlsoSchema,
  IsCalendarDate,
  IsCurrency,
  IsCursor,
  IsFieldList,
  IsLimit,
  IsOneOf,
  IsText,
  IsTimestamp,
  IsUuid,
  keywordsOf,
  MayBeLeftOut,
  rule,
} from './rules.ts';
export type { JsonSchema } from './rules.ts';
export { cursors } from './cursors.ts';
export type { CursorBinding, Cursors } from './cursors.ts';
export { tokenBuckets } from './rate-limit.ts';
export type { Allowance, RateLimit } from './rate-limit.ts';
export { faultsOfNoBody, faultsOfNoQuery, parseBody, parseQuery } from './input.ts';
export type { Parsed } from './input.ts';
export { alternativesOf, IsShape, nestedShapeOf, oneOf } from './shape.ts';
export type { Shape } from './shape.ts';
