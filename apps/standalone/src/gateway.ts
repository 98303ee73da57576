import type { Health } from '@causeway/observability';
import type { Environment } from '@causeway/settings';
import { gatewayConfig } from '@causeway/services/gateway/src/config.ts';
import { openGateway } from '@causeway/services/gateway/src/gateway.module.ts';
import { migrateGateway } from '@causeway/services/gateway/src/migrations.ts';
import { endLeases } from './leases.ts';
import type { Behind } from './thread.ts';

export type Gateway = Readonly<{
  baseUrl: string;
  /** From now on `/readyz` says what the services say; until then it says no. */
  announce(): void;
  close(): Promise<void>;
}>;

/** The gateway, which asks the others: it opens when they listen, and closes before them. */
export const startGateway = async (env: Environment, behind: Behind): Promise<Gateway> => {
  const config = gatewayConfig(env);
  await migrateGateway(config);
  await endLeases(config.databaseUrl, ['gateway']);
  let announced = false;
  const others = async (): Promise<Record<string, Health>> => {
    const healths = Object.entries({
      standalone: { ready: announced, detail: {} },
      ...(await behind.health()),
    });
    return Object.fromEntries(
      healths.map(([name, { ready, detail }]) => [name, { ready: () => ready, detail: () => detail }]),
    );
  };
  const gateway = await openGateway(config, { bus: behind.bus, others });
  await gateway.listen(config.port, config.host);
  return {
    baseUrl: await gateway.getUrl(),
    announce: () => {
      announced = true;
    },
    close: () => gateway.close(),
  };
};
