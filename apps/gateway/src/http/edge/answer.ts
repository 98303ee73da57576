import { errorBody } from '@causeway/http';
import type { Problem } from '@causeway/messaging';
import type { FastifyReply } from 'fastify';

/** What a controller answers. `json`: the body as text, ready to be sent; null: there is none. */
export type Answer = Readonly<{
  status: number;
  json: string | null;
  headers?: Readonly<Record<string, string>>;
}>;

export const answer = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  json: JSON.stringify(body),
  headers,
});

export const ok = (body: object): Answer => answer(200, body);

/** For text that Postgres made. */
export const okText = (json: string): Answer => ({ status: 200, json });

export const noContent: Answer = { status: 204, json: null };

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
export const refusal = (problem: Problem, requestId: string): Answer =>
  answer(problem.status, errorBody(problem, requestId), headersOf(problem));

export const send = (reply: FastifyReply, { status, json, headers = {} }: Answer): void => {
  reply.code(status).headers(headers);
  if (json === null) void reply.send();
  else void reply.header('Content-Type', 'application/json; charset=utf-8').send(json);
};
