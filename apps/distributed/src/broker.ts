import { brokerSource, missingTools, startBroker, type Broker, type BrokerOptions } from '@causeway/kafka-broker';
import { keepAlive, keepPid } from '@causeway/launcher';
import { optional } from '@causeway/settings';

/** The bus that the services meet on. */
export type KeptBroker = Readonly<{
  /** `host:port`, one or more with commas between. */
  brokers: string;
  /** Empty where it is no process of ours. */
  pids(): Readonly<Record<string, number>>;
  stop(): Promise<void>;
}>;

/** A broker that is ended by force reads its log at the next start; nothing that it acknowledged is lost. */
const stopTimeoutMs = 2000;

type Options = Pick<BrokerOptions, 'dataDir' | 'doors'> & Readonly<{ onRestart(): void }>;

const ownBroker = async ({ onRestart, ...options }: Options): Promise<KeptBroker> => {
  const start = async (before: Broker | undefined): Promise<Broker> => {
    const broker = await startBroker({ ...options, ...(before === undefined ? {} : { port: before.port }) });
    const forget = keepPid(options.dataDir, 'kafka.Kafka', broker.pid);
    const stop = async (): Promise<void> => {
      const timer = setTimeout(() => process.kill(broker.pid, 'SIGKILL'), stopTimeoutMs);
      await broker.stop();
      clearTimeout(timer);
      forget();
    };
    return { ...broker, stop };
  };
  const { current, stop } = await keepAlive(start, onRestart);
  return { brokers: current().address, pids: () => ({ broker: current().pid }), stop };
};

/** A given one; or one from its artifacts, started again when it dies; or one from its image. */
export const keepBroker = async (options: Options): Promise<KeptBroker> => {
  const isGiven = optional(process.env, 'CAUSEWAY_KAFKA_BROKERS') !== undefined;
  if (!isGiven && (await missingTools()) === undefined) return ownBroker(options);
  const { brokers, stop } = await (await brokerSource()).open({ dataDir: options.dataDir });
  return { brokers, pids: () => ({}), stop };
};
