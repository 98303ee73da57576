import { errorBody } from '@causeway/http';
import type { Problem } from '@causeway/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { oauthMembers, speaksOAuth } from '../oauth/oauth-error.ts';

export const json = 'application/json; charset=utf-8';

export const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? '';

/** A dependency that is down is mostly back within this time. */
const unavailableRetrySeconds = 1;

const headersOf = ({ status, details }: Problem, oauth: boolean): Readonly<Record<string, string>> => {
  const { retryAfterSeconds } = (details ?? {}) as { retryAfterSeconds?: number };
  if (status === 401) return { 'WWW-Authenticate': oauth ? 'Basic realm="causeway"' : 'Bearer' };
  if (status === 429) return { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds ?? 1))) };
  if (status === 503) return { 'Retry-After': String(unavailableRetrySeconds) };
  return {};
};

/** A problem in the words of the contract, with the headers that its status asks for. */
export const refuse = (reply: FastifyReply, problem: Problem): void => {
  const { id, body } = reply.request;
  const oauth = speaksOAuth(reply.request);
  void reply.code(problem.status).headers(headersOf(problem, oauth)).type(json);
  void reply.send(JSON.stringify({ ...(oauth && oauthMembers(problem, body)), ...errorBody(problem, id) }));
};
