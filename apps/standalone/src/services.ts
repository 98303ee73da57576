import type { Bus } from '@causeway/messaging';
import { inProcessServer, MessageFaults, type InProcessBroker } from '@causeway/messaging-in-process';
import { HEALTH, type Health } from '@causeway/observability';
import { openPool } from '@causeway/postgres';
import type { Environment } from '@causeway/settings';
import type { DynamicModule, INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { connectionsConfig } from '@causeway/services/connections/src/config.ts';
import { ConnectionsModule, connectionsTopics } from '@causeway/services/connections/src/connections.module.ts';
import { migrateConnections } from '@causeway/services/connections/src/migrations.ts';
import { gatewayConfig } from '@causeway/services/gateway/src/config.ts';
import { openGateway } from '@causeway/services/gateway/src/gateway.module.ts';
import { migrateGateway } from '@causeway/services/gateway/src/migrations.ts';
import { ledgerConfig } from '@causeway/services/ledger/src/config.ts';
import { LedgerModule, ledgerTopics } from '@causeway/services/ledger/src/ledger.module.ts';
import { migrateLedger } from '@causeway/services/ledger/src/migrations.ts';
import { transfersConfig } from '@causeway/services/transfers/src/config.ts';
import { migrateTransfers } from '@causeway/services/transfers/src/migrations.ts';
import { TransfersModule, transfersTopics } from '@causeway/services/transfers/src/transfers.module.ts';
import { webhooksConfig } from '@causeway/services/webhooks/src/config.ts';
import { migrateWebhooks } from '@causeway/services/webhooks/src/migrations.ts';
import { WebhooksModule, webhooksTopics } from '@causeway/services/webhooks/src/webhooks.module.ts';

type Service = Readonly<{
  name: string;
  topics: readonly string[];
  migrate(env: Environment): Promise<void>;
  module(env: Environment, bus: Bus): DynamicModule;
}>;

/** The four behind the gateway. Each is told where it runs by its settings and its transport alone. */
const services: readonly Service[] = [
  {
    name: 'connections',
    topics: connectionsTopics,
    migrate: (env) => migrateConnections(connectionsConfig(env)),
    module: (env, bus) => ConnectionsModule.register(connectionsConfig(env), bus),
  },
  {
    name: 'ledger',
    topics: ledgerTopics,
    migrate: (env) => migrateLedger(ledgerConfig(env)),
    module: (env, bus) => LedgerModule.register(ledgerConfig(env), bus),
  },
  {
    name: 'transfers',
    topics: transfersTopics,
    migrate: (env) => migrateTransfers(transfersConfig(env)),
    module: (env, bus) => TransfersModule.register(transfersConfig(env), bus),
  },
  {
    name: 'webhooks',
    topics: webhooksTopics,
    migrate: (env) => migrateWebhooks(webhooksConfig(env)),
    module: (env) => WebhooksModule.register(webhooksConfig(env)),
  },
];

export type Running = Readonly<{
  baseUrl: string;
  /** From now on `/readyz` says what the services say; until then it says no. */
  announce(): void;
  close(): Promise<void>;
}>;

/**
 * Whoever held a lease on this data is dead: one system runs on a data directory at a time. Without this, what a killed
 * one held would stand still until it ran out. A holder that is alive all the same is refused by its epoch.
 */
const endLeases = async (databaseUrl: string): Promise<void> => {
  const pool = openPool({ url: databaseUrl, applicationName: 'standalone', connectionsMax: 1 });
  try {
    for (const schema of ['gateway', ...services.map(({ name }) => name)]) {
      await pool.query(
        `UPDATE "${schema}".lease SET expires_at = clock_timestamp() WHERE expires_at > clock_timestamp()`,
      );
    }
  } finally {
    await pool.end();
  }
};

/** Every service migrated, then started; the gateway, which asks the others, last. It closes first. */
export const startSystem = async (env: Environment, broker: InProcessBroker): Promise<Running> => {
  for (const { migrate } of services) await migrate(env);
  await migrateGateway(gatewayConfig(env));
  await endLeases(gatewayConfig(env).databaseUrl);

  const apps: INestMicroservice[] = [];
  const healths: Record<string, Health> = {};
  for (const { name, topics, module } of services) {
    const strategy = inProcessServer(broker, { group: name, topics });
    const app = await NestFactory.createMicroservice(module(env, broker), { strategy, logger: ['error', 'fatal'] });
    app.useGlobalFilters(new MessageFaults());
    await app.listen();
    healths[name] = app.get<Health>(HEALTH);
    apps.push(app);
  }
  broker.open();

  let announced = false;
  const standalone: Health = { ready: () => announced, detail: () => ({}) };
  const config = gatewayConfig(env);
  const gateway = await openGateway(config, broker, () => ({ standalone, ...healths }));
  await gateway.listen(config.port, config.host);
  // The bus before its users: a message on its next try would otherwise hold up the relay that waits for it.
  const close = async (): Promise<void> => {
    await gateway.close();
    await broker.close();
    await Promise.all(apps.map((app) => app.close()));
  };
  return { baseUrl: await gateway.getUrl(), announce: () => (announced = true), close };
};
