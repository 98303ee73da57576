import { Req, RequestMapping, RequestMethod, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { send, type Answer } from './answer.ts';
import { callOf } from './request.ts';
import type { Call, Route } from './route.ts';

type Serving<R extends Route> = (call: Call<R>) => Promise<Answer>;

/** The method answers the declared route: it gets the call, typed as declared, and its answer is sent. */
export const Serves =
  <R extends Route>(declared: R) =>
  (prototype: object, name: string, descriptor: TypedPropertyDescriptor<Serving<R>>): void => {
    const serve = descriptor.value;
    if (serve === undefined) throw new Error(`${name} is no method`);
    const handler = async function (this: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
      send(reply, await serve.call(this, callOf(request) as Call<R>));
    };
    const served = descriptor as TypedPropertyDescriptor<unknown>;
    served.value = handler;
    Req()(prototype, name, 0);
    Res()(prototype, name, 1);
    RequestMapping({ method: RequestMethod[declared.method], path: declared.path })(prototype, name, served);
    RouteConfig({ declared })(prototype, name, served);
  };
