import { invalidRequest, parseBody, parseNoBody, parseQuery, problems, type FieldError } from '@causeway/http';
import type { Problem } from '@causeway/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refusal, send } from './answer.ts';
import { accept, callerOf, declarationOf, idOf } from './request.ts';
import type { Caller, Route, Target } from './route.ts';

export type Exists = (target: Target, caller: Caller, id: string) => Promise<boolean>;

const headerOf =
  (request: FastifyRequest) =>
  (name: string): string | undefined => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };

const readBody = async (
  declared: Route,
  raw: unknown,
): Promise<Readonly<{ body: object; errors: readonly FieldError[] }>> => {
  if (declared.body === undefined) return { body: {}, errors: parseNoBody(raw) };
  const parsed = await parseBody(declared.body, raw);
  return parsed.ok ? { body: parsed.body, errors: [] } : { body: {}, errors: parsed.errors };
};

/**
 * What is wrong with a request comes after the question whether what its path names is there: an unknown id is 404
 * whatever else the request holds. Asked only when the request is refused anyway.
 */
export const refusedAfterTarget = async (
  exists: Exists,
  request: FastifyRequest,
  problem: Problem,
): Promise<Problem> => {
  const target = declarationOf(request)?.target;
  const caller = callerOf(request);
  if (target === undefined || caller === undefined) return problem;
  return (await exists(target, caller, idOf(request))) ? problem : problems.notFound;
};

/** Reads query and body as declared. Every fault of both is told at once. */
export const reading =
  (exists: Exists) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const declared = declarationOf(request);
    const caller = callerOf(request);
    if (declared === undefined || caller === undefined) return undefined;
    const query = parseQuery(declared.query, request.query as Record<string, unknown>);
    const { body, errors } = await readBody(declared, request.body);
    if (!query.ok || errors.length > 0) {
      const problem = invalidRequest([...(query.ok ? [] : query.errors), ...errors]);
      send(reply, refusal(await refusedAfterTarget(exists, request, problem), request.id));
      return reply;
    }
    accept(request, {
      caller,
      requestId: request.id,
      id: idOf(request).toLowerCase(),
      query: query.values,
      body,
      header: headerOf(request),
    });
    return undefined;
  };
