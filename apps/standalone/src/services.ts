import type { Transport } from '@causeway/messaging';
import { openLog, openMetrics, type Health } from '@causeway/observability';
import { openPool } from '@causeway/postgres';
import { keepHeapSmall, observed, type OpenService, type Service, type ServiceConfig } from '@causeway/service';
import type { Environment } from '@causeway/settings';
import { connectionsService } from '@causeway/services/connections/src/connections.module.ts';
import { gatewayConfig } from '@causeway/services/gateway/src/config.ts';
import { openGateway } from '@causeway/services/gateway/src/gateway.module.ts';
import { migrateGateway } from '@causeway/services/gateway/src/migrations.ts';
import { ledgerService } from '@causeway/services/ledger/src/ledger.module.ts';
import { transfersService } from '@causeway/services/transfers/src/transfers.module.ts';
import { webhooksService } from '@causeway/services/webhooks/src/webhooks.module.ts';
import type { OpenedBus } from './bus.ts';

/** What the process says of itself, the gateway says. */
const silent: Health = { ready: () => true, detail: () => ({}) };

/** One of the four behind the gateway. It is told where it runs by its settings and its transport alone. */
const inThisProcess = <C extends ServiceConfig>({ name, config, migrate, open }: Service<C>) => ({
  name,
  migrate: (env: Environment): Promise<void> => migrate(config(env)),
  open: (env: Environment, transport: Transport): Promise<OpenService> => {
    const own = config(env);
    const metrics = openMetrics(name);
    const bus = observed(transport, { log: openLog(name, own.logLevel), metrics });
    return open(own, { bus, metrics, process: silent });
  },
});

const services = [
  inThisProcess(connectionsService),
  inThisProcess(ledgerService),
  inThisProcess(transfersService),
  inThisProcess(webhooksService),
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
export const startSystem = async (
  env: Environment,
  { bus, open: letFlow }: Pick<OpenedBus, 'bus' | 'open'>,
): Promise<Running> => {
  keepHeapSmall();
  for (const { migrate } of services) await migrate(env);
  const config = gatewayConfig(env);
  await migrateGateway(config);
  await endLeases(config.databaseUrl);

  const opened: OpenService[] = [];
  const healths: Record<string, Health> = {};
  for (const { name, open } of services) {
    const service = await open(env, bus);
    await service.listen();
    healths[name] = service.health;
    opened.push(service);
  }
  letFlow();

  let announced = false;
  let wasReady = false;
  // Once it was there: without it, reads go on.
  const isBusReady = (): boolean => (wasReady ||= bus.ready());
  const standalone: Health = { ready: () => announced && isBusReady(), detail: () => ({ bus: bus.ready() }) };
  const gateway = await openGateway(config, { bus, others: () => ({ standalone, ...healths }) });
  await gateway.listen(config.port, config.host);
  // The bus before its users: a message on its next try would otherwise hold up the relay that waits for it.
  const close = async (): Promise<void> => {
    await gateway.close();
    await bus.close();
    await Promise.all(opened.map((service) => service.close()));
  };
  return { baseUrl: await gateway.getUrl(), announce: () => (announced = true), close };
};
