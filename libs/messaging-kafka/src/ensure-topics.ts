import type { Topic } from '@causeway/messaging';
import type { Admin, ITopicConfig, Kafka } from 'kafkajs';
import { setTimeout as sleep } from 'node:timers/promises';
import { kafkaClient } from './client.ts';
import { deadLettersTopic, repliesTopic } from './names.ts';
import type { KafkaConnection } from './settings.ts';
import { trackedSockets } from './sockets.ts';

/** The brokers' own default, so that a cluster of three keeps three copies and one of one keeps one. */
const brokersDefault = -1;

/** The brokers' own default. */
const segmentMaxMs = 7 * 24 * 3_600_000;

/** What the age of a command is told by: see broker-clock.ts. */
const timedByBroker = { name: 'message.timestamp.type', value: 'LogAppendTime' };

const declared = ({ name, partitions, retentionMs }: Topic): ITopicConfig => ({
  topic: name,
  numPartitions: partitions,
  replicationFactor: brokersDefault,
  configEntries: [
    { name: 'retention.ms', value: String(retentionMs) },
    // Only whole segments are deleted: what is in the one that is written to would be kept for a week.
    { name: 'segment.ms', value: String(Math.min(retentionMs, segmentMaxMs)) },
    timedByBroker,
  ],
});

const deadLetters: ITopicConfig = {
  topic: deadLettersTopic,
  numPartitions: 1,
  replicationFactor: brokersDefault,
  configEntries: [{ name: 'cleanup.policy', value: 'compact' }, timedByBroker],
};

/**
 * Makes what is missing; any number of starts may do so at once. What is there stays as it is: an operator may have
 * given a topic another retention, and partitions added under way would break the order of its keys.
 */
export const ensureTopicsOn = async (kafka: Kafka, topics: readonly Topic[]): Promise<readonly string[]> => {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const wanted = [...[repliesTopic, ...topics].map(declared), deadLetters];
    const there = new Set(await admin.listTopics());
    const missing = wanted.filter(({ topic }) => !there.has(topic));
    for (const topic of missing) await make(admin, topic);
    return missing.map(({ topic }) => topic);
  } finally {
    await admin.disconnect();
  }
};

/** The same as a command of its own. Answers with the names of those that were made. */
export const ensureTopics = async (
  connection: KafkaConnection,
  topics: readonly Topic[],
): Promise<readonly string[]> => {
  const sockets = trackedSockets();
  try {
    return await ensureTopicsOn(kafkaClient(connection, sockets), topics);
  } finally {
    sockets.cutOff();
  }
};

const make = async (admin: Admin, topic: ITopicConfig): Promise<void> => {
  try {
    await admin.createTopics({ topics: [topic], waitForLeaders: true });
  } catch (error) {
    // Somebody was faster, or the broker that was asked for the leaders has not heard of it yet. The client makes it a
    // `false` or an error, by how it fails.
    if (!(await appears(admin, topic.topic))) throw error;
  }
};

const appears = async (admin: Admin, name: string): Promise<boolean> => {
  for (const deadline = performance.now() + appearMaxMs; performance.now() < deadline; await sleep(appearPollMs)) {
    if ((await admin.listTopics()).includes(name)) return true;
  }
  return false;
};

const appearMaxMs = 5000;
const appearPollMs = 100;
