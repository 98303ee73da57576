import { connectionsEvents, webhooksCommands } from '@causeway/contracts';
import { postgresDataKeys, webhookKeysSchema } from '@causeway/data-keys';
import { quota } from '@causeway/quotas';
import { startFeed } from '@causeway/subscriptions';
import {
  lifeOf,
  messageService,
  openEventSourced,
  OWN,
  SERVICE,
  serviceModule,
  type EventSourced,
  type ServiceParts,
} from '@causeway/service';
import { Module, type DynamicModule } from '@nestjs/common';
import { COMMANDS, CommandsController } from './commands/commands.controller.ts';
import { handlerIn, type Commands } from './commands/commands.ts';
import { unsealSecret } from './commands/secret.ts';
import { webhooksConfig, type WebhooksConfig } from './config.ts';
import { ConnectionsController, TELL, type Tell } from './consumers/connections.controller.ts';
import { migrateWebhooks, schema } from './migrations.ts';
import { webhooks } from './projections/webhooks/webhooks.ts';
import { allowedHosts } from './reactions/deliveries/address.ts';
import { notify } from './reactions/deliveries/notify.ts';
import { redeliver, redeliverSince } from './reactions/deliveries/redeliver.ts';
import { forgetOld } from './reactions/deliveries/retention.ts';
import { resolver } from './reactions/deliveries/resolve.ts';
import { openSender } from './reactions/deliveries/send.ts';
import { startDeliveries, type Deliveries } from './reactions/deliveries/worker.ts';
import { clearEndpoint, outlastAttempts, readHistory, syncEndpoint } from './reactions/endpoints.ts';
import { judge } from './reactions/judge.ts';
import { keepUp } from './reactions/keep-up.ts';

/** What the service listens to. */
export const webhooksTopics: readonly string[] = [webhooksCommands, connectionsEvents];

const PARTS = Symbol('parts');
const RUNNING = Symbol('running');

/** What runs from start to stop, for those who wake it. */
type Running = { deliveries?: Deliveries };

const openWebhooks = (config: WebhooksConfig): EventSourced =>
  openEventSourced(config, {
    ...{ name: 'webhooks', projections: [webhooks] },
    dataKeysIn: (pool) => postgresDataKeys({ pool, masterKeys: config.masterKeys, schema: webhookKeysSchema }),
  });

/** Everything that is there before anything runs. */
const partsIn = (config: WebhooksConfig) => (own: EventSourced) => {
  const { pool, store } = own;
  const reach = { allowed: allowedHosts(config.allowedHosts), resolve: resolver() };
  const sender = openSender({ ...reach, timeoutMs: config.deliveryTimeoutMs });
  const counted = { view: 'read_models.webhooks_v1', perEnvironment: true };
  const quotaOf = quota({ pool, schema, name: 'webhooks', limit: config.webhooksMax, ...counted });
  const history = (webhookId: string) => readHistory(store, webhookId);
  const sync = (webhookId: string) => syncEndpoint(pool, store, webhookId);
  return { ...own, config, reach, sender, webhooks: quotaOf, handle: handlerIn(store), sync, history };
};

type Parts = ReturnType<ReturnType<typeof partsIn>>;

const begin = (parts: Parts) => {
  const { config, log, pool, claims, store, dataKeys, sender } = parts;
  const deliveries = startDeliveries({
    pool: claims,
    send: sender.send,
    pausesMs: config.retryPausesMs,
    unseal: (sealed, webhookId) => unsealSecret(dataKeys, webhookId, sealed),
    judge: (result) => judge(parts, result),
    onFault: (err) => log.warn({ err }, 'tried again later'),
  });
  const keptUp = startFeed({
    ...{ name: 'keep-up', store, pool, schema, log, fed: deliveries.wake },
    take: (tx, events) => keepUp(tx, { store, log }, events),
  });
  return { walks: [keptUp], workers: deliveries, forgetOld: () => forgetOld(pool) };
};

/** Deliveries are due at once where there are some. */
const woken = async ({ deliveries }: Running, due: Promise<number>): Promise<number> => {
  if ((await due) > 0) deliveries?.wake();
  return due;
};

const commandsIn = (parts: Parts, running: Running): Commands => {
  const { pool } = parts;
  return {
    ...parts,
    silence: async (webhookId) => {
      running.deliveries?.drop(({ endpointId }) => endpointId === webhookId);
      await clearEndpoint(pool, webhookId);
    },
    outlast: (webhookId) => outlastAttempts(pool, webhookId),
    redeliver: (webhookId, eventId) => woken(running, redeliver(pool, webhookId, eventId)),
    redeliverSince: (webhookId, since) => woken(running, redeliverSince(pool, webhookId, since)),
  };
};

const tellIn =
  ({ pool }: EventSourced, running: Running): Tell =>
  async (notification) =>
    void (await woken(running, notify(pool, notification)));

const lifeIn = (parts: Parts, running: Running): ServiceParts => {
  const beginAll = () => {
    const begun = begin(parts);
    running.deliveries = begun.workers;
    return begun;
  };
  return lifeOf(parts, beginAll, () => parts.sender.close());
};

/** The composition root: the one place where the parts meet, and the one that knows Nest. */
@Module({})
export class WebhooksModule {
  /** Publishes nothing, so it needs no bus: whichever transport brings it messages. */
  static register(config: WebhooksConfig): DynamicModule {
    return serviceModule(WebhooksModule, {
      controllers: [CommandsController, ConnectionsController],
      providers: [
        { provide: OWN, useFactory: () => openWebhooks(config) },
        { provide: PARTS, inject: [OWN], useFactory: partsIn(config) },
        { provide: RUNNING, useFactory: (): Running => ({}) },
        { provide: COMMANDS, inject: [PARTS, RUNNING], useFactory: commandsIn },
        { provide: TELL, inject: [OWN, RUNNING], useFactory: tellIn },
        { provide: SERVICE, inject: [PARTS, RUNNING], useFactory: lifeIn },
      ],
    });
  }
}

export const webhooksService = messageService<WebhooksConfig>({
  name: 'webhooks',
  healthPort: 3005,
  topics: webhooksTopics,
  config: webhooksConfig,
  migrate: migrateWebhooks,
  module: (config) => WebhooksModule.register(config),
});
