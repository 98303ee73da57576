import type { Door } from '@causeway/kafka-broker';
import { text, type Environment } from '@causeway/settings';

/** Something stands between one service and what it needs, so that a test can cut off this one alone. Ports. */
export type Detour = Readonly<{
  database: number;
  /** Where the service finds the broker, and where the broker listens for it. */
  broker: Readonly<{ through: number; listen: number }>;
}>;

export type Detours = Readonly<Record<string, Detour>>;

/** By service. None but in tests of faults, which name them in `CAUSEWAY_DETOURS` as JSON. */
export const detoursOf = (env: Environment): Detours => JSON.parse(text(env, 'CAUSEWAY_DETOURS', '{}')) as Detours;

export const doorsOf = (detours: Detours): readonly Door[] =>
  Object.entries(detours).map(([name, { broker }]) => ({ name, port: broker.listen, toldPort: broker.through }));

export const databaseBy = (detour: Detour | undefined, databaseUrl: string): string => {
  if (detour === undefined) return databaseUrl;
  const url = new URL(databaseUrl);
  url.port = String(detour.database);
  return url.href;
};

export const brokersBy = (detour: Detour | undefined, brokers: string): string =>
  detour === undefined ? brokers : `127.0.0.1:${detour.broker.through}`;
