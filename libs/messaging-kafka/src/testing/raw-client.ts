import { CompressionTypes, Partitioners } from 'kafkajs';
import { kafkaClient } from '../client.ts';
import { groupIdOf } from '../names.ts';
import { timing, type KafkaConnection } from '../settings.ts';
import { trackedSockets } from '../sockets.ts';

/**
 * The client by itself, with the settings that the bus gives it and nothing of the bus: what the bus is measured against.
 * The records of one call are acknowledged by all replicas.
 */
export const rawProducer = async (connection: KafkaConnection) => {
  const producer = kafkaClient(connection, trackedSockets()).producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  });
  await producer.connect();
  const send = async (topic: string, values: readonly string[]): Promise<void> => {
    await producer.send({
      topic,
      messages: values.map((value) => ({ value })),
      acks: -1,
      compression: CompressionTypes.None,
    });
  };
  return { send, close: () => producer.disconnect() };
};

export type RawConsumer = Readonly<{ close(): Promise<void> }>;

/**
 * Reads a topic from its beginning, as a group of its own that commits nothing: a commit would stand between a batch and
 * the next fetch. Resolves when it has its partitions. A record is there as soon as it is appended: a fetch that finds
 * nothing is held, and answered by the first byte.
 */
export const rawConsumer = async (
  connection: KafkaConnection,
  topic: string,
  onValues: (values: readonly string[]) => void,
): Promise<RawConsumer> => {
  const { sessionTimeoutMs, heartbeatMs, fetchWaitMs } = timing;
  const consumer = kafkaClient(connection, trackedSockets()).consumer({
    groupId: groupIdOf(`raw-${topic}`),
    sessionTimeout: sessionTimeoutMs,
    rebalanceTimeout: sessionTimeoutMs * 2,
    heartbeatInterval: heartbeatMs,
    maxWaitTimeInMs: fetchWaitMs,
    minBytes: 1,
  });
  const joined = new Promise<void>((resolve) => consumer.on(consumer.events.GROUP_JOIN, () => resolve()));
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => onValues(batch.messages.map(({ value }) => String(value))),
  });
  await joined;
  return { close: () => consumer.disconnect() };
};
