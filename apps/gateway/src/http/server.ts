import { acceptedRequestId, errorBody, problems } from '@causeway/http';
import type { Logger, Metrics } from '@causeway/observability';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { pathOf } from './edge/answer.ts';
import { operationFinder, type Operation } from './edge/operations.ts';
import { form, speaksOAuth } from './oauth/oauth-error.ts';
import { answerUnexpected, answerUnreadable } from './edge/unreadable.ts';

/** Of a route that takes no body; some clients send an empty object. */
const noBodyBytesMax = 1024;

/** A request is read whole within this time, or the connection is cut when this is next looked at. */
const requestTimeoutMs = 30_000;
const requestTimeoutLookMs = 5000;

export const httpAdapter = (): FastifyAdapter =>
  new FastifyAdapter({
    bodyLimit: noBodyBytesMax,
    requestTimeout: requestTimeoutMs,
    // The larger of the two limits holds for the body, whichever is named so: the default of the headers is a minute.
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: requestTimeoutLookMs },
    forceCloseConnections: 'idle',
    // What still comes while the server closes is answered as ever: the client did not know.
    return503OnClosing: false,
    genReqId: ({ headers }: IncomingMessage) => acceptedRequestId(headers['x-request-id']) ?? randomUUID(),
    clientErrorHandler: answerUnreadable,
    // An address that cannot be decoded is the address of nothing.
    frameworkErrors: (_: Error, request: FastifyRequest, reply: FastifyReply) => {
      void reply.header('X-Request-Id', request.id).code(404).send(errorBody(problems.notFound, request.id));
    },
  });

/** To encode a text as it writes it, Node takes zeroed memory of three times its length: from here on, a buffer costs less. */
const encodedFromLength = 128 * 1024;

const encoded = async (_: FastifyRequest, __: FastifyReply, payload: unknown): Promise<unknown> =>
  typeof payload === 'string' && payload.length >= encodedFromLength ? Buffer.from(payload) : payload;

export type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

type PassedThrough = Readonly<{ admit: Hook; operations: readonly Operation[]; log: Logger; metrics?: Metrics }>;

/** A member without a value counts as left out (RFC 6749, 3.2); one that comes twice becomes a list, and is refused. */
const formOf = (text: string): object =>
  Object.fromEntries(Object.entries(parse(text)).filter(([, value]) => value !== ''));

const notUtf8 = (): Error => Object.assign(new Error('the body is no UTF-8'), { statusCode: 400 });
const anotherType = (): Error => Object.assign(new Error('the body is of another type'), { statusCode: 415 });

/** What every request passes through. Has to be told before the routes are made. */
export const passThrough = (app: NestFastifyApplication, { admit, operations, log, metrics }: PassedThrough): void => {
  const server = app.getHttpAdapter().getInstance();
  const operationOf = operationFinder(operations);
  server.decorateRequest('caller', null).decorateRequest('operation', null);
  server.server.on('checkExpectation', answerUnexpected);
  server.addHook('onRoute', (route) => {
    const { bodyBytesMax } = operationOf(String(route.method), route.url) ?? {};
    if (typeof bodyBytesMax === 'number') route.bodyLimit = bodyBytesMax;
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    // Some clients say that they send JSON and send nothing.
    if (body.length === 0) done(null, undefined);
    else if (speaksOAuth(request)) done(anotherType());
    else if (!isUtf8(body as Buffer)) done(notUtf8());
    // Whoever reads the body refuses the names that would set a prototype, and says where they stand.
    else void server.getDefaultJsonParser('ignore', 'ignore')(request, body.toString(), done);
  });
  server.addContentTypeParser(form, { parseAs: 'buffer' }, (request, body, done) => {
    if (!speaksOAuth(request)) done(body.length === 0 ? null : anotherType(), undefined);
    else if (!isUtf8(body as Buffer)) done(notUtf8());
    else done(null, formOf(body.toString()));
  });
  // Of a body that is too large and of another type, the size is told: it is read up to the limit, and then refused.
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => {
    if (body.length === 0) done(null, undefined);
    else done(anotherType());
  });
  server.addHook('onRequest', admit);
  server.addHook('onSend', encoded);
  server.addHook('onResponse', async (request, reply) => {
    const { organization, environment, keyId } = request.caller ?? {};
    const { method, id: requestId } = request;
    const what = { requestId, method, path: pathOf(request), status: reply.statusCode };
    // The route, not the address: ids would make a series of each.
    const { url: route = 'none' } = request.routeOptions;
    metrics?.answered({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    log.info({ ...what, ms: Math.round(reply.elapsedTime), organization, environment, keyId }, 'request');
  });
};

/** From the call on, each answer is the last of its connection: clients come back on another, and so to another gateway. */
export const partingFrom = (app: NestFastifyApplication): (() => void) => {
  let isParting = false;
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onSend', async (_, reply) => {
      if (isParting) reply.header('Connection', 'close');
    });
  return () => {
    isParting = true;
  };
};
