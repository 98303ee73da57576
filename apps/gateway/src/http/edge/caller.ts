import type { Environment } from '@causeway/contracts';
import type {} from 'fastify';
import type { Operation } from './operations.ts';

/** Who asks: what the credential says. */
export type Caller = Readonly<{
  organization: string;
  environment: Environment;
  keyId: string;
  scopes: readonly string[];
}>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the request is admitted, and where nobody need say who asks. */
    caller: Caller | null;
    /** Null where nothing is served. */
    operation: Operation | null;
  }
}

/** Whose resources the caller sees. */
export const ownerOf = ({ organization, environment }: Caller) => ({ organization, environment });
