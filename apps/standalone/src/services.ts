import type { Transport } from '@causeway/messaging';
import { openLog, openMetrics, type Health } from '@causeway/observability';
import { observed, type OpenService, type Service, type ServiceConfig } from '@causeway/service';
import { environmentOf, required, servicesBehind, type Environment, type ServiceBehind } from '@causeway/settings';
import { connectionsService } from '@causeway/services/connections/src/connections.module.ts';
import { ledgerService } from '@causeway/services/ledger/src/ledger.module.ts';
import { transfersService } from '@causeway/services/transfers/src/transfers.module.ts';
import { webhooksService } from '@causeway/services/webhooks/src/webhooks.module.ts';
import { openBus } from './bus.ts';
import { endLeases } from './leases.ts';

/** What the process says of itself, the gateway says. */
const silent: Health = { ready: () => true, detail: () => ({}) };

/** One of the four behind the gateway. It is told where it runs by its settings and its transport alone. */
const inThisProcess = <C extends ServiceConfig>({ name, config, migrate, open }: Service<C>) => ({
  name,
  migrate: (env: Environment): Promise<void> => migrate(config(environmentOf([name], env))),
  open: (env: Environment, transport: Transport): Promise<OpenService> => {
    const own = config(environmentOf([name], env));
    const metrics = openMetrics(name);
    const bus = observed(transport, { log: openLog(name, own.logLevel), metrics });
    return open(own, { bus, metrics, process: silent });
  },
});

const modules: Readonly<Record<ServiceBehind, ReturnType<typeof inThisProcess>>> = {
  connections: inThisProcess(connectionsService),
  ledger: inThisProcess(ledgerService),
  transfers: inThisProcess(transfersService),
  webhooks: inThisProcess(webhooksService),
};
const services = servicesBehind.map((name) => modules[name]);

/** What `/readyz` says of them and of their bus. */
export type Healths = Readonly<Record<string, Readonly<{ ready: boolean; detail: object }>>>;

export type Services = Readonly<{
  bus: Transport;
  /** Where the brokers are, when there are any. */
  kafkaBrokers: string | undefined;
  health(): Healths;
  /** What goes on by itself begins to end, so that nothing waits for a bank any more. */
  retire(): void;
  /** The bus was closed before: a message on its next try would otherwise hold up the relay that waits for it. */
  close(): Promise<void>;
}>;

const healthOf = ({ ready, detail }: Health) => ({ ready: ready(), detail: detail() });

/** Each migrated, then started; messages flow when all are there. */
export const startServices = async (env: Environment): Promise<Services> => {
  const closes: (() => Promise<unknown>)[] = [];
  const { bus, open: letFlow, kafkaBrokers } = await openBus(env, (close) => void closes.unshift(close));
  await Promise.all(services.map(({ migrate }) => migrate(env)));
  const names = services.map(({ name }) => name);
  await endLeases(required(env, 'CAUSEWAY_DATABASE_URL'), names);
  const opened = await Promise.all(services.map(({ open }) => open(env, bus)));
  for (const service of opened) await service.listen();
  letFlow();

  let wasReady = false;
  const health = (): Healths => {
    const isReady = bus.ready();
    // Once it was there: without it, reads go on.
    wasReady ||= isReady;
    const healths = opened.map((service, n) => [names[n] as string, healthOf(service.health)] as const);
    return { bus: { ready: wasReady, detail: { bus: isReady } }, ...Object.fromEntries(healths) };
  };
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((service) => service.close()));
    for (const end of closes) await end();
  };
  const retire = (): void => opened.forEach((service) => void service.retire(0));
  return { bus, kafkaBrokers, health, retire, close };
};
