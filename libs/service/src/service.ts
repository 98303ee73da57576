import type { Transport } from '@causeway/messaging';
import type { Figures, Health, Metrics } from '@causeway/observability';
import type { Environment } from '@causeway/settings';

/** What every service is told, whatever else it is told. */
export type ServiceConfig = Readonly<{ databaseUrl: string; logLevel: string }>;

/** What a service finds around it in its process. */
export type Surroundings = Readonly<{
  bus: Transport;
  metrics: Metrics;
  /** What of readiness the service does not know itself: the bus, and whether the process is about to stop. */
  process: Health;
}>;

/** A service with its parts together, taking nothing from outside yet. */
export type OpenService = Readonly<{
  health: Health;
  figures(): Promise<Figures>;
  /** Takes what comes from now on. */
  listen(): Promise<void>;
  /** Takes nothing new and ends what is under way while the bus is still there; begins to end what goes on by itself. */
  retire(withinMs: number): Promise<void>;
  /** Handlers have ended: ends what goes on by itself, and gives back what was opened. */
  close(): Promise<void>;
}>;

/** Everything that a process needs to know to run one of the five services. */
export type Service<C extends ServiceConfig> = Readonly<{
  name: string;
  /** Where `/healthz`, `/readyz` and `/metrics` are by default. */
  healthPort: number;
  /** Throws `SettingInvalid`, which names the setting. */
  config(env: Environment): C;
  /** Any number of processes may run it at once. Runs as the owner of the schemas. */
  migrate(config: C): Promise<void>;
  open(config: C, surroundings: Surroundings): Promise<OpenService>;
  /** Whether it sends commands: a process that only answers them listens for no replies. */
  asks?: boolean;
  /** A service that is of use while the bus is away is ready from when it was there first. */
  servesWithoutBus?: boolean;
}>;
