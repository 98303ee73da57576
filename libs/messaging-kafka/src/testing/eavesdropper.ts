import type { SecretRing } from '@causeway/settings';
import { CompressionTypes, Partitioners, type IHeaders, type KafkaMessage } from 'kafkajs';
import { randomUUID } from 'node:crypto';
import { isAuthentic } from '../authenticity.ts';
import { kafkaClient } from '../client.ts';
import { groupIdOf } from '../names.ts';
import { inBatches } from '../producing.ts';
import type { KafkaConnection } from '../settings.ts';
import { trackedSockets } from '../sockets.ts';

/** A record as it lies on the brokers. */
export type Captured = Readonly<{
  topic: string;
  partition: number;
  key: Buffer | null;
  value: Buffer | null;
  headers: IHeaders;
}>;

/** Whether a member that holds the secrets would take it for one of ours. */
export const isTaken = (secrets: SecretRing, { topic, ...record }: Captured): boolean =>
  isAuthentic(secrets, topic, record as unknown as KafkaMessage);

/** Whoever reads all our topics from their beginning and may write to them, and holds none of our secrets. */
export const eavesdropper = async (connection: KafkaConnection, onRecord: (record: Captured) => void) => {
  const kafka = kafkaClient(connection, trackedSockets());
  const admin = kafka.admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((topic) => topic.startsWith('causeway.'));
  await admin.disconnect();
  const consumer = kafka.consumer({ groupId: groupIdOf(`eavesdropper-${randomUUID()}`), maxWaitTimeInMs: 50 });
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ topic, partition, message: { key, value, headers } }) =>
      onRecord({ topic, partition, key, value, headers: headers ?? {} }),
  });
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  });
  await producer.connect();
  const send = async (records: readonly Captured[]): Promise<void> => {
    for (const topic of new Set(records.map((record) => record.topic))) {
      const messages = records.filter((record) => record.topic === topic);
      for (const batch of inBatches(messages)) {
        await producer.send({ topic, messages: batch, acks: -1, compression: CompressionTypes.None });
      }
    }
  };
  const close = async (): Promise<void> => {
    await Promise.all([consumer.disconnect(), producer.disconnect()]);
  };
  return { topics, send, close };
};
