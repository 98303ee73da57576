import { HEALTH, type Figures, type Health } from '@causeway/observability';
import type { Pool } from '@causeway/postgres';
import { lastVerifications, projectionStatuses, type Projector } from '@causeway/projections';
import type { EventStore } from '@causeway/event-sourcing';
import type { Walk } from '@causeway/subscriptions';
import type {
  BeforeApplicationShutdown,
  DynamicModule,
  OnApplicationBootstrap,
  OnApplicationShutdown,
  Provider,
  Type,
} from '@nestjs/common';

/** How a service begins and ends, and what it says of itself. */
export type ServiceParts = Readonly<{
  health: Health;
  figures(): Promise<Figures>;
  /** Begins what goes on by itself. Messages come once it has resolved. */
  start(): void | Promise<void>;
  /** Ends what `start` began, but for what handlers wait for: the bus may still hand something over. */
  stop(): Promise<void>;
  /** Nothing runs any more: gives back what was opened. */
  close(): Promise<void>;
}>;

/** The token of a service's life in its module. */
export const SERVICE = Symbol('the service');
/** The token of what every service with events of its own has open. */
export const OWN = Symbol('sessions, events and read models');
const LIFECYCLE = Symbol('the lifecycle');

type Contents = Readonly<{ controllers: readonly Type[]; providers: readonly Provider[] }>;

/** Starts and stops with the process that the module runs in. */
const lifecycleOf = ({
  start,
  stop,
  close,
}: ServiceParts): OnApplicationBootstrap & BeforeApplicationShutdown & OnApplicationShutdown => ({
  onApplicationBootstrap: start,
  beforeApplicationShutdown: stop,
  onApplicationShutdown: close,
});

/** What the modules of all services have alike. One of the `providers` is of `SERVICE`: how it starts and stops. */
export const serviceModule = (module: Type, { controllers, providers }: Contents): DynamicModule => ({
  module,
  controllers: [...controllers],
  providers: [
    ...providers,
    { provide: HEALTH, inject: [SERVICE], useFactory: ({ health }: ServiceParts) => health },
    { provide: LIFECYCLE, inject: [SERVICE], useFactory: lifecycleOf },
  ],
  exports: [HEALTH],
});

/** A service serves however far its projections are. Degraded: some of what it has recorded waits to be mended. */
export const healthOf = (readModels: Projector): Health => ({
  ready: () => true,
  detail: () => {
    const projections = readModels.status();
    return { degraded: projections.some(({ parked, state }) => parked > 0 || state === 'stalled'), projections };
  },
});

type Measured = Readonly<{ pool: Pool; schema: string; store: EventStore; walks: readonly Walk[] }>;

export const figuresOf = async ({ pool, schema, store, walks }: Measured): Promise<Figures> => {
  const projections = await projectionStatuses(pool, schema, store, Date.now());
  const verified = new Map((await lastVerifications(pool, schema)).map((each) => [each.name, each]));
  return {
    events: await store.head(),
    // What is beside the live rows may have the same name and version; `causeway projections list` tells of it.
    projections: projections.flatMap((each) =>
      each.state === 'live' ? [{ ...each, verified: verified.get(each.name) }] : [],
    ),
    walks: await Promise.all(walks.map((walk) => walk.status())),
  };
};
