import { forbidden, problems, type Allowance } from '@causeway/http';
import type { Problem } from '@causeway/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { json, pathOf, refuse } from './answer.ts';
import type { AddressOf } from './caller-address.ts';
import type { Caller } from './caller.ts';
import { showAllowance, type Identify } from './identification.ts';
import type { KnownPath } from './known-paths.ts';
import type { Operation } from './operations.ts';
import { couldExist, type Exists, type Ids } from './targets.ts';

export type Admission = Readonly<{
  identify: Identify<string | undefined>;
  takeByAddress(address: string): Allowance | undefined;
  addressOf: AddressOf;
  operationOf(method: string, route: string | undefined): Operation | null;
  knownPath(path: string): KnownPath | undefined;
  exists: Exists;
}>;

/** A path without this method, or no path of ours at all. */
const refusalOfUnserved =
  ({ knownPath, exists }: Admission) =>
  async (request: FastifyRequest, reply: FastifyReply, caller: Caller | undefined): Promise<Problem> => {
    const known = knownPath(pathOf(request));
    if (known === undefined) return problems.notFound;
    const { targets, ids, methods, open } = known;
    if (!open && caller === undefined) return problems.unauthorized;
    if (caller !== undefined && !(await exists(targets, caller, ids))) return problems.notFound;
    void reply.header('Allow', methods.join(', '));
    return problems.methodNotAllowed;
  };

/**
 * Decides, before a byte of the body is read, whether a request is let in. The order of refusals: too many requests,
 * unknown path, no credential, missing scope, unknown id, method.
 */
export const admission = (parts: Admission) => {
  const { identify, takeByAddress, addressOf } = parts;
  const refuseUnserved = refusalOfUnserved(parts);

  const judge = async (request: FastifyRequest, reply: FastifyReply): Promise<Problem | undefined> => {
    const { caller, allowance } = await identify(request.headers.authorization, addressOf(request));
    const tooMany = allowance && showAllowance(reply, allowance);
    if (tooMany !== undefined) return tooMany;
    const { operation } = request;
    if (operation === null) return refuseUnserved(request, reply, caller);
    const { scope, targets } = operation;
    if (caller === undefined) return problems.unauthorized;
    if (scope !== null && !caller.scopes.includes(scope)) return forbidden(scope);
    if (!couldExist(targets, request.params as Ids)) return problems.notFound;
    request.caller = caller;
    return undefined;
  };

  const judgeOpen = (request: FastifyRequest, reply: FastifyReply): Problem | undefined => {
    const allowance = request.operation?.isLimitedByAddress ? takeByAddress(addressOf(request)) : undefined;
    return allowance && showAllowance(reply, allowance);
  };

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    void reply.headers({ 'X-Request-Id': request.id, 'Cache-Control': 'no-store' });
    const operation = parts.operationOf(request.method, request.routeOptions.url);
    request.operation = operation;
    const problem = operation?.scope === null ? judgeOpen(request, reply) : await judge(request, reply);
    if (problem !== undefined) {
      refuse(reply, problem);
      return reply;
    }
    // A controller answers with a text of JSON as with an object.
    if (operation?.answer.shape !== null) void reply.type(json);
    return undefined;
  };
};
