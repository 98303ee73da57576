import type { FastifyRequest } from 'fastify';
import type { Call, Caller, Route } from './route.ts';

/** Who asks, once admitted. Kept beside the request, so that no type of the server has to be widened. */
const callers = new WeakMap<FastifyRequest, Caller>();
const calls = new WeakMap<FastifyRequest, Call<Route>>();

export const admit = (request: FastifyRequest, caller: Caller): void => void callers.set(request, caller);
export const callerOf = (request: FastifyRequest): Caller | undefined => callers.get(request);

export const accept = (request: FastifyRequest, call: Call<Route>): void => void calls.set(request, call);

/** The hooks run before every handler: a request without a call cannot reach one. */
export const callOf = (request: FastifyRequest): Call<Route> => {
  const call = calls.get(request);
  if (call === undefined) throw new Error('the request reached its handler before it was read');
  return call;
};

/** Under this name the declaration stands in the server's configuration of a route. */
export type RouteConfig = Readonly<{ declared?: Route; open?: true }>;

export const declarationOf = (request: FastifyRequest): Route | undefined =>
  (request.routeOptions.config as RouteConfig | undefined)?.declared;

/** Health answers anyone, at any rate. */
export const isOpen = (request: FastifyRequest): boolean =>
  (request.routeOptions.config as RouteConfig | undefined)?.open === true;

export const idOf = (request: FastifyRequest): string => (request.params as { id?: string } | undefined)?.id ?? '';

export const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';
