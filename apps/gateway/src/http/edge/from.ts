import type { Reply } from '@causeway/messaging';
import { Refused } from '@causeway/http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from './caller.ts';

/** A request that was admitted: who asks for what. `path`: the route's, with the names of its parameters. */
export type Asked = Readonly<{ caller: Caller; requestId: string; path: string }>;

/** `@From() asked: Asked` */
export const From = createParamDecorator((_: unknown, context: ExecutionContext): Asked => {
  const { caller, id: requestId, operation } = context.switchToHttp().getRequest<FastifyRequest>();
  if (caller === null || operation === null) throw new Error('the request reached its handler before it was admitted');
  return { caller, requestId, path: operation.path };
});

/** What the owner of a command answered; its refusal is the caller's. */
export const accepted = <R extends object>(reply: Reply<R>): R => {
  if (!reply.ok) throw new Refused(reply.problem);
  return reply.data;
};
