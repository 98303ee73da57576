import { brokerSource, missingTools, startBroker, type Broker, type BrokerOptions } from '@causeway/kafka-broker';
import { keepAlive, keepPid, type Support } from '@causeway/launcher';
import { optional } from '@causeway/settings';

type Options = Pick<BrokerOptions, 'dataDir' | 'doors'> & Readonly<{ onRestart(): void; signal: AbortSignal }>;

const ownBroker = async ({ onRestart, signal, ...options }: Options): Promise<Support> => {
  const start = async (before: Broker | undefined): Promise<Broker> => {
    const broker = await startBroker({ ...options, signal, ...(before === undefined ? {} : { port: before.port }) });
    const forget = keepPid(options.dataDir, 'kafka.Kafka', broker.pid);
    return { ...broker, stop: (withinMs) => broker.stop(withinMs).finally(forget) };
  };
  const { current, stop } = await keepAlive(start, { onRestart, signal });
  return { url: current().address, pids: () => ({ broker: current().pid }), stop };
};

/** A given one; or one from its artifacts, started again when it dies; or one from its image. Its `url`: `host:port,…`. */
export const keepBroker = async (options: Options): Promise<Support> => {
  const isGiven = optional(process.env, 'CAUSEWAY_KAFKA_BROKERS') !== undefined;
  if (!isGiven && (await missingTools()) === undefined) return ownBroker(options);
  const { brokers, stop } = await (await brokerSource()).open({ dataDir: options.dataDir });
  return { url: brokers, pids: () => ({}), stop };
};
