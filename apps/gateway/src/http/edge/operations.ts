import type { ApiScope } from '@causeway/domain/gateway';
import type { Shape } from '@causeway/http';
import { RequestMethod, type Type } from '@nestjs/common';
import {
  HEADERS_METADATA,
  METHOD_METADATA,
  PARAMTYPES_METADATA,
  PATH_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/internal';
import { Reflector } from '@nestjs/core';
import {
  AnswersWith,
  BodyLimit,
  Consumes,
  NotLimited,
  Refuses,
  Scope,
  Unlisted,
  type Answer,
  type Refusal,
} from './operation.ts';
import { targetsIn, type Target } from './targets.ts';

/** A route as its controller declares it: admission, the reading of input and the document derive from this. */
export type Operation = Readonly<{
  /** Controller and method, as in `webhooksUpdate`. */
  id: string;
  /** The controller's resource. */
  tag: string;
  method: string;
  /** As Fastify knows it: `/v1/webhooks/:webhookId`. */
  path: string;
  /** Null: open to anyone. */
  scope: ApiScope | null;
  /** Open, and limited by the caller's address. */
  isLimitedByAddress: boolean;
  /** What the path's parameters name, in their order. */
  targets: readonly Target[];
  query: Shape | null;
  body: Shape | null;
  bodyBytesMax: number | null;
  bodyType: string;
  /** Names of headers that it asks for. */
  headers: readonly string[];
  answer: Answer;
  contentType: string;
  refuses: readonly Refusal[];
  /** Whether the document names it. */
  isListed: boolean;
}>;

type Handler = (...parameters: readonly unknown[]) => unknown;

const reflector = new Reflector();
const metadata = (key: string, target: object, name?: string): unknown =>
  name === undefined ? Reflect.getMetadata(key, target) : Reflect.getMetadata(key, target, name);

type Argument = Readonly<{ index: number; data?: string }>;

const argumentsOf = (controller: Type, name: string, kind: RouteParamtypes): readonly Argument[] => {
  const all = (metadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Readonly<Record<string, Argument>>;
  return Object.entries(all).flatMap(([key, argument]) => (key.startsWith(`${kind}:`) ? argument : []));
};

/** The class of the parameter that is the whole query or the whole body. */
const shapeOf = (controller: Type, name: string, kind: RouteParamtypes): Shape | null => {
  const [found] = argumentsOf(controller, name, kind);
  const types = metadata(PARAMTYPES_METADATA, controller.prototype as object, name) as readonly Shape[];
  return found === undefined ? null : (types[found.index] ?? null);
};

const json = 'application/json';

/** What `@Header('Content-Type', …)` says. */
const contentTypeOf = (handler: Handler): string => {
  const set = (metadata(HEADERS_METADATA, handler) ?? []) as readonly Readonly<{ name: string; value: string }>[];
  return set.find(({ name }) => name === 'Content-Type')?.value ?? json;
};

const pathIn = (controller: Type, handler: Handler): string => {
  const parts = [metadata(PATH_METADATA, controller), metadata(PATH_METADATA, handler)] as readonly string[];
  return `/${parts
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '')
    .join('/')}`;
};

const tagOf = ({ name }: Type): string => name.replace(/Controller$/, '');

const idOf = (tag: string, name: string): string =>
  `${tag.charAt(0).toLowerCase()}${tag.slice(1)}${name.charAt(0).toUpperCase()}${name.slice(1)}`;

const operationOf = (controller: Type, name: string): Operation | undefined => {
  const handler = (controller.prototype as Readonly<Record<string, Handler>>)[name];
  const method = handler && (metadata(METHOD_METADATA, handler) as RequestMethod | undefined);
  if (handler === undefined || method === undefined) return undefined;
  const path = pathIn(controller, handler);
  const scope = reflector.get(Scope, handler) ?? null;
  const answer = reflector.get(AnswersWith, handler) as Answer | undefined;
  if (answer === undefined) throw new Error(`${controller.name}.${name} does not say what it answers`);
  return {
    ...{
      id: idOf(tagOf(controller), name),
      tag: tagOf(controller),
      method: RequestMethod[method] ?? '',
      path,
      answer,
      targets: targetsIn(path),
    },
    scope,
    isLimitedByAddress: scope === null && reflector.get(NotLimited, handler) === undefined,
    query: shapeOf(controller, name, RouteParamtypes.QUERY),
    body: shapeOf(controller, name, RouteParamtypes.BODY),
    bodyType: reflector.get(Consumes, handler) ?? json,
    headers: argumentsOf(controller, name, RouteParamtypes.HEADERS).flatMap(({ data }) => data ?? []),
    contentType: contentTypeOf(handler),
    bodyBytesMax: reflector.get(BodyLimit, handler) ?? null,
    refuses: reflector.get(Refuses, handler) ?? [],
    isListed: reflector.get(Unlisted, handler) === undefined,
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
