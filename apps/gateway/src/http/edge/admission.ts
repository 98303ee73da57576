import { forbidden, isUuid, problems, type Allowance, type RateLimit } from '@causeway/http';
import type { Problem } from '@causeway/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refusal, send } from './answer.ts';
import type { Authentication } from './authentication.ts';
import type { KnownPath } from './known-paths.ts';
import type { Exists } from './reading.ts';
import { admit, declarationOf, idOf, isOpen, pathOf } from './request.ts';
import type { Caller, Target } from './route.ts';

export type Admission = Authentication &
  Readonly<{
    /** Null: there is no limit. */
    limit: RateLimit | null;
    knownPath(path: string): KnownPath | undefined;
    exists: Exists;
  }>;

const showAllowance = (reply: FastifyReply, { limit, remaining, resetSeconds }: Allowance): void => {
  void reply.headers({
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
  });
};

/** An id that cannot be one of ours names nothing, whatever else is wrong with the request. */
const couldExist = (target: Target | undefined, id: string): boolean =>
  target === undefined || (target === 'institution' ? id !== '' : isUuid(id));

/** By key where the key is good, otherwise by address, so that guesses cannot use up somebody's allowance. */
const identification =
  ({ authenticate, recall, wasGood, limit }: Admission) =>
  async (request: FastifyRequest): Promise<Readonly<{ caller: Caller | undefined; allowance?: Allowance }>> => {
    const { authorization } = request.headers;
    const address = request.socket.remoteAddress ?? '';
    let caller = recall(authorization, address);
    if (limit === null) return { caller: caller ?? (await authenticate(authorization, address)) };
    if (caller === undefined) {
      const before = limit.look(`address ${address}`);
      if (!before.allowed && !wasGood(authorization, address)) return { caller, allowance: before };
      caller = await authenticate(authorization, address);
    }
    return { caller, allowance: limit.take(caller === undefined ? `address ${address}` : `key ${caller.keyId}`) };
  };

/** A path without this method, or no path of ours at all. */
const refusalOfUnserved =
  ({ knownPath, exists }: Admission) =>
  async (request: FastifyRequest, reply: FastifyReply, caller: Caller | undefined): Promise<Problem> => {
    const known = knownPath(pathOf(request));
    if (known === undefined) return problems.notFound;
    if (caller === undefined) return problems.unauthorized;
    const { target, id, methods } = known;
    const there = target === undefined || (couldExist(target, id) && (await exists(target, caller, id)));
    if (!there) return problems.notFound;
    void reply.header('Allow', methods.join(', '));
    return problems.methodNotAllowed;
  };

/**
 * Decides, before a byte of the body is read, whether a request is let in. The order of refusals: too many requests,
 * unknown path, no credential, missing scope, unknown id, method.
 */
export const admission = (parts: Admission) => {
  const identify = identification(parts);
  const refuseUnserved = refusalOfUnserved(parts);

  const judge = async (request: FastifyRequest, reply: FastifyReply): Promise<Problem | undefined> => {
    const { caller, allowance } = await identify(request);
    if (allowance !== undefined) {
      showAllowance(reply, allowance);
      const { allowed, retryAfterSeconds } = allowance;
      if (!allowed) return { ...problems.rateLimited, details: { retryAfterSeconds } };
    }
    const declared = declarationOf(request);
    if (declared === undefined) return refuseUnserved(request, reply, caller);
    if (caller === undefined) return problems.unauthorized;
    if (!caller.scopes.includes(declared.scope)) return forbidden(declared.scope);
    if (!couldExist(declared.target, idOf(request))) return problems.notFound;
    admit(request, caller);
    return undefined;
  };

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    void reply.headers({ 'X-Request-Id': request.id, 'Cache-Control': 'no-store' });
    if (isOpen(request)) return undefined;
    const problem = await judge(request, reply);
    if (problem === undefined) return undefined;
    send(reply, refusal(problem, request.id));
    return reply;
  };
};
