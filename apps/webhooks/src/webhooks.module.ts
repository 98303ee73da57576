import { connectionsEvents, webhooksCommands } from '@causeway/contracts';
import { postgresDataKeys } from '@causeway/data-keys';
import { openEventStore, startRetention } from '@causeway/event-stores';
import { openLog } from '@causeway/observability';
import { openPool } from '@causeway/postgres';
import { projector } from '@causeway/projections';
import { quota } from '@causeway/quotas';
import { startFeed } from '@causeway/subscriptions';
import { figuresOf, healthOf, messageService, serviceModule } from '@causeway/service';
import { Module, type DynamicModule } from '@nestjs/common';
import { COMMANDS, CommandsController } from './commands/commands.controller.ts';
import { handlerIn, type Commands } from './commands/commands.ts';
import { unsealSecret } from './commands/secret.ts';
import { webhooksConfig, type WebhooksConfig } from './config.ts';
import { ConnectionsController, TELL, type Tell } from './consumers/connections.controller.ts';
import { eventsSchema, migrateWebhooks, role, schema } from './migrations.ts';
import { webhooks } from './projections/webhooks/webhooks.ts';
import { allowedHosts } from './reactions/deliveries/address.ts';
import { notify } from './reactions/deliveries/notify.ts';
import { forgetOld } from './reactions/deliveries/retention.ts';
import { resolver } from './reactions/deliveries/resolve.ts';
import { openSender } from './reactions/deliveries/send.ts';
import { startDeliveries } from './reactions/deliveries/worker.ts';
import { clearEndpoint, syncEndpoint } from './reactions/endpoints.ts';
import { judge } from './reactions/judge.ts';
import { keepUp } from './reactions/keep-up.ts';

/** What the service listens to. */
export const webhooksTopics: readonly string[] = [webhooksCommands, connectionsEvents];

const visibleWithinMs = 2000;

/** Everything that is there before anything runs. */
const open = (config: WebhooksConfig) => {
  const log = openLog('webhooks', config.logLevel);
  const pool = openPool({ url: config.databaseUrl, applicationName: 'webhooks', role });
  const keys = postgresDataKeys({ pool, masterKey: config.masterKey });
  const store = openEventStore(config.eventStore, { pool, schema: eventsSchema, dataKeys: keys });
  const readModels = projector({ pool, schema, store, projections: [webhooks], log });
  const reach = { allowed: allowedHosts(config.allowedHosts), resolve: resolver() };
  const sender = openSender({ ...reach, timeoutMs: config.deliveryTimeoutMs });
  const counted = { view: 'read_models.webhooks_v1', perEnvironment: true };
  const quotaOf = quota({ pool, schema, name: 'webhooks', limit: config.webhooksMax, ...counted });
  const now = (): string => new Date().toISOString();
  const handle = handlerIn(store);
  const sync = (webhookId: string) => syncEndpoint(pool, store, webhookId);
  return { config, log, pool, keys, store, readModels, reach, sender, webhooks: quotaOf, now, handle, sync };
};

type Parts = ReturnType<typeof open>;

/** What goes on by itself from start to stop. */
const begin = (parts: Parts) => {
  const { config, log, pool, store, keys, sender } = parts;
  const onFault = (err: unknown) => log.warn({ err }, 'tried again later');
  // Claims are renewed on sessions that nothing else can hold.
  const claims = openPool({ url: config.databaseUrl, applicationName: 'webhooks', role, connectionsMax: 2 });
  const deliveries = startDeliveries({
    pool: claims,
    send: sender.send,
    pausesMs: config.retryPausesMs,
    unseal: (sealed, webhookId) => unsealSecret(keys, webhookId, sealed),
    judge: (result) => judge(parts, result),
    onFault,
  });
  const walk = startFeed({
    ...{ name: 'keep-up', store, pool, schema, log, fed: deliveries.wake },
    take: (tx, events) => keepUp(tx, store, events),
  });
  const endRetention = startRetention(() => forgetOld(pool), onFault);
  const stop = async (): Promise<void> => {
    endRetention();
    await Promise.all([walk.stop(), deliveries.stop()]);
    await claims.end();
  };
  return { deliveries, walk, stop };
};

const compose = (config: WebhooksConfig) => {
  const parts = open(config);
  const { log, pool, store, readModels, sender } = parts;
  let running: ReturnType<typeof begin> | undefined;

  const untilVisible = async (): Promise<void> => {
    if (await readModels.caughtUp([webhooks.name], visibleWithinMs)) return;
    log.warn('answered before the read model had got there');
  };
  const silence = async (webhookId: string): Promise<void> => {
    running?.deliveries.drop(({ endpointId }) => endpointId === webhookId);
    await clearEndpoint(pool, webhookId);
  };
  const commands: Commands = { ...parts, untilVisible, silence };
  const tell: Tell = async (notification) => {
    if ((await notify(pool, notification)) > 0) running?.deliveries.wake();
  };
  const start = async (): Promise<void> => {
    readModels.start();
    await readModels.made();
    running = begin(parts);
  };
  const stop = async (): Promise<void> => running?.stop();
  const close = async (): Promise<void> => {
    await readModels.stop();
    await sender.close();
    await store.close();
    await pool.end();
  };
  const figures = () => figuresOf({ pool, schema, store, walks: running === undefined ? [] : [running.walk] });
  return { commands, tell, health: healthOf(readModels), figures, start, stop, close };
};

type Service = ReturnType<typeof compose>;

/** The composition root: the one place where the parts meet, and the one that knows Nest. */
@Module({})
export class WebhooksModule {
  /** Publishes nothing, so it needs no bus: whichever transport brings it messages. */
  static register(config: WebhooksConfig): DynamicModule {
    return serviceModule(WebhooksModule, {
      controllers: [CommandsController, ConnectionsController],
      open: () => compose(config),
      offers: [
        [COMMANDS, ({ commands }: Service) => commands],
        [TELL, ({ tell }: Service) => tell],
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
