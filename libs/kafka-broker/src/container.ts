import { freePort } from '@causeway/postgres';
import { defaultVersion, releaseOf } from './artifacts.ts';
import type { BrokerOptions, OpenBroker } from './broker.ts';

/** Inside the container. The port that clients know is another one, and the same inside and outside for what is advertised. */
const listenerPort = 9092;

/** Whether a container engine answers. Where Testcontainers is not installed, none can be used. */
export const hasContainerEngine = async (): Promise<boolean> => {
  try {
    const { getContainerRuntimeClient } = await import('testcontainers');
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
};

/** The official image, in a container that ends with this process. */
export const startContainerBroker = async ({
  port,
  version = process.env['CAUSEWAY_KAFKA_VERSION'] ?? defaultVersion,
}: BrokerOptions): Promise<OpenBroker> => {
  const { GenericContainer, Wait } = await import('testcontainers');
  const hostPort = port ?? (await freePort());
  const container = await new GenericContainer(`apache/kafka:${releaseOf(version)}`)
    .withExposedPorts({ container: listenerPort, host: hostPort })
    .withEnvironment({
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_NODE_ID: '1',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_LISTENERS: `PLAINTEXT://:${listenerPort},CONTROLLER://:9093`,
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://127.0.0.1:${hostPort}`,
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '1000',
      KAFKA_HEAP_OPTS: '-Xmx512m -Xms128m',
    })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .start();
  return { brokers: `127.0.0.1:${hostPort}`, stop: async () => void (await container.stop()) };
};
