import type {} from 'fastify';
import type { Caller } from './caller.ts';
import type { Operation } from './operations.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the request is admitted, and where nobody need say who asks. */
    caller: Caller | null;
    /** Null where nothing is served. */
    operation: Operation | null;
  }
}
