import type { Shape, ValuesOf } from '@causeway/http';
import type { Environment } from '@causeway/contracts';
import type { ApiScope } from '@causeway/domain/gateway';

/** What the id in a path names. */
export type Target = 'account' | 'connection' | 'entity' | 'institution' | 'transaction' | 'transfer' | 'webhook';

/**
 * All that is declared of a route, in one place: the server's routing, the check of the scope, the reading of the query
 * and of the body derive from it. A path has at most one parameter, `:id`, which names the target.
 */
export type Route<Q extends Shape = Shape, B extends object = object> = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: `/v1/${string}`;
  scope: ApiScope;
  target?: Target;
  query: Q;
  /** The class that class-validator checks. None: the route takes no body. */
  body?: new () => B;
  /** As small as its fields allow, every character escaped. */
  bodyBytesMax?: number;
}>;

/** Keeps what was declared as precise as it was written. */
export const route = <Q extends Shape, B extends object = never>(declared: Route<Q, B>): Route<Q, B> => declared;

/** Who asks: what the credential says. */
export type Caller = Readonly<{
  organization: string;
  environment: Environment;
  keyId: string;
  scopes: readonly string[];
}>;

/** A request that was admitted and read: what a controller works with. */
export type Call<R> =
  R extends Route<infer Q, infer B>
    ? Readonly<{
        caller: Caller;
        requestId: string;
        /** The path's; empty where it has none. */
        id: string;
        query: ValuesOf<Q>;
        body: B;
        header(name: string): string | undefined;
      }>
    : never;
