import type { ApiScope } from '@causeway/domain/gateway';
import type { Shape } from '@causeway/http';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PARAMTYPES_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/internal';
import { Reflector } from '@nestjs/core';
import { AnswersWith, BodyLimit, Refuses, Scope, type Answer, type Refusal } from './operation.ts';
import { targetsIn, type Target } from './targets.ts';

/** A route as its controller declares it: admission, the reading of input and the document derive from this. */
export type Operation = Readonly<{
  /** Controller and method, as in `webhooksUpdate`. */
  id: string;
  method: string;
  /** As Fastify knows it: `/v1/webhooks/:webhookId`. */
  path: string;
  /** Null: open to anyone. */
  scope: ApiScope | null;
  /** What the path's parameters name, in their order. */
  targets: readonly Target[];
  query: Shape | null;
  body: Shape | null;
  bodyBytesMax: number | null;
  answer: Answer;
  refuses: readonly Refusal[];
}>;

type Handler = (...parameters: readonly unknown[]) => unknown;

const reflector = new Reflector();
const metadata = (key: string, target: object, name?: string): unknown =>
  name === undefined ? Reflect.getMetadata(key, target) : Reflect.getMetadata(key, target, name);

/** The class of the parameter that is the whole query or the whole body. */
const shapeOf = (controller: Type, name: string, kind: RouteParamtypes): Shape | null => {
  const parameters = (metadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Readonly<
    Record<string, { index: number }>
  >;
  const found = Object.entries(parameters).find(([key]) => key.startsWith(`${kind}:`));
  const types = metadata(PARAMTYPES_METADATA, controller.prototype as object, name) as readonly Shape[];
  return found === undefined ? null : (types[found[1].index] ?? null);
};

const pathIn = (controller: Type, handler: Handler): string => {
  const parts = [metadata(PATH_METADATA, controller), metadata(PATH_METADATA, handler)] as readonly string[];
  return `/${parts
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '')
    .join('/')}`;
};

const idOf = (controller: Type, name: string): string => {
  const resource = controller.name.replace(/Controller$/, '');
  return `${resource.charAt(0).toLowerCase()}${resource.slice(1)}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
};

const operationOf = (controller: Type, name: string): Operation | undefined => {
  const handler = (controller.prototype as Readonly<Record<string, Handler>>)[name];
  const method = handler && (metadata(METHOD_METADATA, handler) as RequestMethod | undefined);
  if (handler === undefined || method === undefined) return undefined;
  const path = pathIn(controller, handler);
  const answer = reflector.get(AnswersWith, handler) as Answer | undefined;
  if (answer === undefined) throw new Error(`${controller.name}.${name} does not say what it answers`);
  return {
    ...{ id: idOf(controller, name), method: RequestMethod[method] ?? '', path, answer, targets: targetsIn(path) },
    scope: reflector.get(Scope, handler) ?? null,
    query: shapeOf(controller, name, RouteParamtypes.QUERY),
    body: shapeOf(controller, name, RouteParamtypes.BODY),
    bodyBytesMax: reflector.get(BodyLimit, handler) ?? null,
    refuses: reflector.get(Refuses, handler) ?? [],
  };
};

/** Every route of the controllers, in their order. */
export const operationsOf = (controllers: readonly Type[]): readonly Operation[] =>
  controllers.flatMap((controller) =>
    Object.getOwnPropertyNames(controller.prototype).flatMap((name) => operationOf(controller, name) ?? []),
  );

/** The operation that a request came to, by the server's own route; what answers GET answers HEAD. */
export const operationFinder = (operations: readonly Operation[]) => {
  const byRoute = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]));
  return (method: string, route: string | undefined): Operation | null =>
    byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${route}`) ?? null;
};
