import type { JsonSchema, Shape } from '@causeway/http';
import type { ApiScope } from '@causeway/domain/gateway';
import { applyDecorators, HttpCode } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

/** A class of ours, a schema as it is, or the list envelope around either. */
export type AnswerShape = Shape | JsonSchema | Readonly<{ pageOf: Shape | JsonSchema }>;

export type Answer = Readonly<{ statuses: readonly number[]; shape: AnswerShape | null; summary: string }>;

/** Served, and not in the document: a part of what is. */
export const Unlisted = Reflector.createDecorator<true>();

/** Types of errors that a route has beside those that follow from what it takes. */
export type Refusal =
  'not_found' | 'conflict' | 'cursor_expired' | 'preflight_failed' | 'unauthorized' | 'rate_limited';

/** What a credential must allow. A route without it is open to anyone, within the limit of their address. */
export const Scope = Reflector.createDecorator<ApiScope>();

/** An open route that is not limited by address: probes, and what limits itself. */
export const NotLimited = Reflector.createDecorator<true>();

/** The largest body, in bytes: as small as its fields allow, every character escaped. */
export const BodyLimit = Reflector.createDecorator<number>();

/** The type of the body; JSON when left out. */
export const Consumes = Reflector.createDecorator<string>();

export const AnswersWith = Reflector.createDecorator<Answer>();

export const Refuses = Reflector.createDecorator<readonly Refusal[]>();

/** The status of a success, or several of which the first is usual; its body, null for none; what the route does. */
export const Answers = (status: number | readonly number[], shape: AnswerShape | null, summary: string) => {
  const statuses = typeof status === 'number' ? [status] : status;
  return applyDecorators(HttpCode(statuses[0] ?? 200), AnswersWith({ statuses, shape, summary }));
};

export const pageOf = (shape: Shape | JsonSchema): AnswerShape => ({ pageOf: shape });
