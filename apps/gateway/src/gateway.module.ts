import { within } from '@causeway/concurrency';
import { cursors, tokenBuckets, type RateLimit } from '@causeway/http';
import type { Bus } from '@causeway/messaging';
import type { Metrics } from '@causeway/observability';
import { openPool } from '@causeway/postgres';
import { gatewayRole } from '@causeway/read-models';
import { relay } from '@causeway/subscriptions';
import { lifeOf, openEventSourced, SERVICE, serviceModule, type Service } from '@causeway/service';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { gatewayConfig, type GatewayConfig } from './config.ts';
import { controllers } from './http/controllers.ts';
import { admission } from './http/edge/admission.ts';
import { authentication } from './http/edge/authentication.ts';
import { commands } from './http/edge/commands.ts';
import { Faults } from './http/edge/faults.ts';
import { keyUse } from './http/edge/key-use.ts';
import { knownPaths } from './http/edge/known-paths.ts';
import { ReadsInput, TakesNothingUndeclared } from './http/edge/input.ts';
import { operationFinder, operationsOf } from './http/edge/operations.ts';
import { reads } from './http/edge/reads.ts';
import { targetsExist } from './http/edge/targets.ts';
import { COMMANDS, CURSORS, DEPENDENCIES, NOW_MS, OPENAPI, READS } from './http/edge/tokens.ts';
import type { Dependencies } from './http/health/health.controller.ts';
import { httpAdapter, partingFrom, passThrough } from './http/server.ts';
import { openApiDocument } from './http/openapi/document.ts';
import { migrateGateway } from './migrations.ts';
import { apiKeys } from './projections/api-keys/api-keys.ts';
import { publishing } from './publishing/publish.ts';

/** The reads' own sessions; a burst beyond them waits its turn here rather than in PostgreSQL. */
const readSessionsMax = 16;
/** Far above what any read takes. A database that stands still is answered for with 503, and its sessions are given up. */
const readWithinMs = 5000;
const otherSessionsMax = 6;
/** Credentials are looked up by their key, beside reads that may be heavy: each takes a millisecond. */
const credentialSessionsMax = 3;
const credentialWithinMs = 2000;

/** Sessions that read: those for answers, and apart from them those for credentials. */
const readSessions = (url: string) => ({
  pool: openPool({
    url,
    applicationName: 'gateway reads',
    role: gatewayRole,
    connectionsMax: readSessionsMax,
    answerWithinMs: readWithinMs,
  }),
  credentials: openPool({
    url,
    applicationName: 'gateway credentials',
    role: gatewayRole,
    connectionsMax: credentialSessionsMax,
    answerWithinMs: credentialWithinMs,
  }),
});

const rateLimit = ({ requestsPerSecond, requestBurst }: GatewayConfig): RateLimit | null =>
  requestsPerSecond === 0 ? null : tokenBuckets(requestsPerSecond, requestBurst, () => performance.now());

/** Everything of the service that does not know Nest. */
const compose = (config: GatewayConfig, bus: Bus) => {
  const own = openEventSourced(config, { name: 'gateway', projections: [apiKeys], connectionsMax: otherSessionsMax });
  const { log, store, schema } = own;
  const nowMs = (): number => Date.now();
  const { pool, credentials } = readSessions(config.databaseUrl);
  const read = reads(pool);
  const use = keyUse(own.pool, nowMs, (err) => log.warn({ err }, 'the last use of keys was not written'));
  const exists = targetsExist(read);
  const operations = operationsOf(controllers);
  const admit = admission({
    ...authentication({ pool: credentials, secrets: config.apiKeySecrets, nowMs, used: use.used }),
    limit: rateLimit(config),
    operationOf: operationFinder(operations),
    knownPath: knownPaths(operations),
    exists,
  });
  const begin = () => ({
    walks: [relay({ name: 'relay', store, pool: own.pool, schema, bus, publish: publishing(own), log })],
  });
  const close = async (): Promise<void> => {
    await use.stop();
    await Promise.all([pool.end(), credentials.end()]);
  };
  return {
    ...{ log, nowMs, exists, admit, operations, reads: read },
    cursors: cursors(config.cursorSecrets),
    commands: commands(bus, uuidV7),
    ...lifeOf(own, begin, close),
  };
};

type Parts = ReturnType<typeof compose>;

/** The composition root: the one place where the parts meet, and the one that knows Nest. */
@Module({})
export class GatewayModule {
  /** `others`: what else of this process has to be ready before /readyz says so. */
  static register(config: GatewayConfig, bus: Bus, others: Dependencies): DynamicModule {
    const dependencies = ({ health }: Parts): Dependencies => {
      return async () => ({ gateway: health, ...(await others()) });
    };
    return serviceModule(GatewayModule, {
      controllers,
      open: () => compose(config, bus),
      offers: [
        [READS, ({ reads: read }: Parts) => read],
        [CURSORS, ({ cursors: cursor }: Parts) => cursor],
        [COMMANDS, ({ commands: send }: Parts) => send],
        [NOW_MS, ({ nowMs }: Parts) => nowMs],
        [OPENAPI, ({ operations }: Parts) => JSON.stringify(openApiDocument(operations))],
        [DEPENDENCIES, dependencies],
      ],
    });
  }
}

type Around = Readonly<{ bus: Bus; others: Dependencies; metrics?: Metrics }>;

/** The HTTP server, not listening yet. `close()` drains it. */
export const openGateway = async (
  config: GatewayConfig,
  { bus, others, metrics }: Around,
): Promise<NestFastifyApplication> => {
  const app = await NestFactory.create<NestFastifyApplication>(
    GatewayModule.register(config, bus, others),
    httpAdapter(),
    { bodyParser: false, logger: ['error', 'warn'], abortOnError: false },
  );
  const { admit, operations, log, exists } = app.get<Parts>(SERVICE);
  passThrough(app, { admit, operations, log, ...(metrics && { metrics }) });
  app.useGlobalGuards(new TakesNothingUndeclared());
  app.useGlobalPipes(new ReadsInput());
  app.useGlobalFilters(new Faults(log, exists));
  return app;
};

/** For so long the gateway says that it is not ready, and still answers: balancers look every second or so. */
const farewellMs = 2000;

/** The gateway in a process of its own. Reads need no bus, so it stays in service while the bus is away. */
export const gatewayService: Service<GatewayConfig> = {
  name: 'gateway',
  healthPort: 3001,
  asks: true,
  servesWithoutBus: true,
  config: gatewayConfig,
  migrate: migrateGateway,
  open: async (config, { bus, metrics, process }) => {
    const app = await openGateway(config, { bus, metrics, others: () => ({ process }) });
    const { health, figures, log } = app.get<Parts>(SERVICE);
    const part = partingFrom(app);
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => (closing ??= app.close());
    return {
      health,
      figures,
      listen: async () => {
        await app.listen(config.port, config.host);
        log.info({ url: await app.getUrl() }, 'serving');
      },
      retire: async (withinMs) => {
        part();
        await sleep(farewellMs);
        // What is under way then is cut off from the bus, and so answered 503.
        await within(withinMs - farewellMs, close());
      },
      close,
    };
  },
};
