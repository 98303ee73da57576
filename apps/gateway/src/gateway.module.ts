import { within } from '@causeway/concurrency';
import { cursors } from '@causeway/http';
import type { Bus } from '@causeway/messaging';
import type { Metrics } from '@causeway/observability';
import { relay } from '@causeway/subscriptions';
import {
  lifeOf,
  openEventSourced,
  OWN,
  SERVICE,
  serviceModule,
  type EventSourced,
  type Service,
  type ServiceParts,
} from '@causeway/service';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { gatewayConfig, type GatewayConfig } from './config.ts';
import { controllers } from './http/controllers.ts';
import { asOfReads } from './http/edge/as-of.ts';
import { commands } from './http/edge/commands.ts';
import { keyUse, type KeyUse } from './http/edge/key-use.ts';
import { operationsOf, type Operation } from './http/edge/operations.ts';
import { edgeProviders } from './http/edge/providers.ts';
import { reads } from './http/edge/reads.ts';
import { readSessions, type Sessions } from './http/edge/sessions.ts';
import { targetsExist } from './http/edge/targets.ts';
import {
  ADMIT,
  AS_OF,
  COMMANDS,
  CURSORS,
  DEPENDENCIES,
  DOCS,
  EXISTS,
  KEY_USE,
  NOW_MS,
  OPENAPI,
  OPERATIONS,
  READS,
  SESSIONS,
} from './http/edge/tokens.ts';
import { docs } from './http/docs/files.ts';
import type { Dependencies } from './http/health/health.controller.ts';
import { httpAdapter, partingFrom, passThrough, type Hook } from './http/server.ts';
import { openApiDocument } from './http/openapi/document.ts';
import { migrateGateway } from './migrations.ts';
import { apiKeys } from './projections/api-keys/api-keys.ts';
import { publishing } from './publishing/publish.ts';

const ownSessionsMax = 6;

const keyUseIn = ({ pool, log }: EventSourced): KeyUse =>
  keyUse(pool, Date.now, (err) => log.warn({ err }, 'the last use of keys was not written'));

const lifeOn =
  (bus: Bus) =>
  (own: EventSourced, sessions: Sessions, use: KeyUse): ServiceParts => {
    const { log, store, schema, pool } = own;
    const begin = () => ({
      walks: [relay({ name: 'relay', store, pool, schema, bus, publish: publishing(own), log })],
    });
    const close = async (): Promise<void> => {
      await use.stop();
      await Promise.all([sessions.pool.end(), sessions.credentials.end()]);
    };
    return lifeOf(own, begin, close);
  };

/** The composition root: the one place where the parts meet, and the one that knows Nest. */
@Module({})
export class GatewayModule {
  /** `others`: what else of this process has to be ready before /readyz says so. */
  static register(config: GatewayConfig, bus: Bus, others: Dependencies): DynamicModule {
    return serviceModule(GatewayModule, {
      controllers,
      providers: [
        {
          provide: OWN,
          useFactory: () =>
            openEventSourced(config, { name: 'gateway', projections: [apiKeys], connectionsMax: ownSessionsMax }),
        },
        { provide: SESSIONS, useFactory: () => readSessions(config.databaseUrl) },
        { provide: KEY_USE, inject: [OWN], useFactory: keyUseIn },
        { provide: READS, inject: [SESSIONS], useFactory: ({ pool }: Sessions) => reads(pool) },
        { provide: AS_OF, inject: [READS], useFactory: asOfReads },
        { provide: EXISTS, inject: [READS], useFactory: targetsExist },
        { provide: OPERATIONS, useFactory: () => operationsOf(controllers) },
        {
          provide: OPENAPI,
          inject: [OPERATIONS],
          useFactory: (operations: readonly Operation[]) => JSON.stringify(openApiDocument(operations)),
        },
        { provide: DOCS, useFactory: docs },
        { provide: CURSORS, useFactory: () => cursors(config.cursorSecrets) },
        { provide: COMMANDS, useFactory: () => commands(bus, uuidV7) },
        { provide: NOW_MS, useValue: Date.now },
        { provide: SERVICE, inject: [OWN, SESSIONS, KEY_USE], useFactory: lifeOn(bus) },
        {
          provide: DEPENDENCIES,
          inject: [SERVICE],
          useFactory:
            ({ health }: ServiceParts): Dependencies =>
            async () => ({ gateway: health, ...(await others()) }),
        },
        ...edgeProviders(config),
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
  const [admit, operations] = [app.get<Hook>(ADMIT), app.get<readonly Operation[]>(OPERATIONS)];
  const { log } = app.get<EventSourced>(OWN);
  passThrough(app, { admit, operations, log, ...(metrics && { metrics }) });
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
    const { health, figures } = app.get<ServiceParts>(SERVICE);
    const { log } = app.get<EventSourced>(OWN);
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
