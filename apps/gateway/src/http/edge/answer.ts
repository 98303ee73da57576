import { errorBody } from '@causeway/http';
import type { Problem } from '@causeway/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const json = 'application/json; charset=utf-8';

export const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? '';

/** A dependency that is down is mostly back within this time. */
const unavailableRetrySeconds = 1;

const headersOf = ({ status, details }: Problem): Readonly<Record<string, string>> => {
  const { retryAfterSeconds } = (details ?? {}) as { retryAfterSeconds?: number };
  if (status === 401) return { 'WWW-Authenticate': 'Bearer' };
  if (status === 429) return { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds ?? 1))) };
  if (status === 503) return { 'Retry-After': String(unavailableRetrySeconds) };
  return {};
};

/** A problem in the words of the contract, with the headers that its status asks for. */
export const refuse = (reply: FastifyReply, problem: Problem): void => {
  void reply.code(problem.status).headers(headersOf(problem)).type(json);
  void reply.send(JSON.stringify(errorBody(problem, reply.request.id)));
};
