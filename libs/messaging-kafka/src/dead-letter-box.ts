import type { DeadLetterBox, KeptLetter } from '@causeway/messaging';
import type { SecretRing } from '@causeway/settings';
import { Partitioners, type Kafka, type KafkaMessage, type Message as KafkaRecord } from 'kafkajs';
import { randomUUID } from 'node:crypto';
import { isAuthentic, signed } from './authenticity.ts';
import { kafkaClient } from './client.ts';
import { ensureTopicsOn } from './ensure-topics.ts';
import { deadLettersTopic, groupIdOf } from './names.ts';
import { header, received, recordOf } from './records.ts';
import type { KafkaMember } from './settings.ts';
import { trackedSockets } from './sockets.ts';

const readTimeoutMs = 20_000;

export const kafkaDeadLetterBox = async (connection: KafkaMember): Promise<DeadLetterBox> => {
  const sockets = trackedSockets();
  const kafka = kafkaClient(connection, sockets);
  await ensureTopicsOn(kafka, []);
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();

  const { secrets } = connection;
  const send = (topic: string, record: KafkaRecord) =>
    producer.send({ topic, messages: [signed(secrets, topic, record)] });

  const find = async (id: string): Promise<KeptLetter | undefined> => (await lettersOn(kafka, secrets)).get(id);
  const list = async (): Promise<readonly KeptLetter[]> =>
    [...(await lettersOn(kafka, secrets)).values()].sort((a, b) => a.firstFailedAt.localeCompare(b.firstFailedAt));

  const retry = async (id: string): Promise<'asked' | 'unknown'> => {
    const letter = await find(id);
    if (letter === undefined) return 'unknown';
    const { message, topic, group, attempts, firstFailedAt } = letter;
    const envelope = { letter: id, onlyGroup: group, attemptsBefore: attempts, firstFailedAt };
    await send(topic, recordOf(message, envelope));
    return 'asked';
  };
  const drop = async (id: string): Promise<'dropped' | 'unknown'> => {
    if ((await find(id)) === undefined) return 'unknown';
    await send(deadLettersTopic, { key: id, value: null });
    return 'dropped';
  };
  const close = async (): Promise<void> => {
    await producer.disconnect();
    sockets.cutOff();
  };
  return { list, retry, drop, close };
};

const letterOf = ({ headers, ...record }: KafkaMessage, id: string): KeptLetter => {
  const told = (name: string): string => header(headers, `letter-${name}`) ?? '';
  const { message } = received({ ...record, headers: headers ?? {} } as KafkaMessage, id);
  return {
    id,
    group: told('group'),
    topic: told('topic'),
    message: { ...message, key: told('key') },
    reason: told('reason'),
    attempts: Number(told('attempts')),
    firstFailedAt: told('first-failed-at'),
    lastFailedAt: told('last-failed-at'),
  };
};

/** The whole topic, from its beginning to where it ends now, as a group that leaves no trace. What is not ours is passed over. */
const lettersOn = async (kafka: Kafka, secrets: SecretRing): Promise<ReadonlyMap<string, KeptLetter>> => {
  const letters = new Map<string, KeptLetter>();
  const end = await endOf(kafka);
  if (end === 0n) return letters;
  const consumer = kafka.consumer({
    groupId: groupIdOf(`dead-letters-${randomUUID()}`),
    allowAutoTopicCreation: false,
    maxWaitTimeInMs: 100,
  });
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [deadLettersTopic], fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const tooLate = setTimeout(() => reject(new Error('the dead letters could not be read in time')), readTimeoutMs);
      const take = (record: KafkaMessage): void => {
        if (!isAuthentic(secrets, deadLettersTopic, record)) return;
        const id = String(record.key);
        if (record.value === null) letters.delete(id);
        else letters.set(id, letterOf(record, id));
      };
      const eachBatch = async ({ batch }: { batch: { messages: KafkaMessage[]; lastOffset(): string } }) => {
        batch.messages.forEach(take);
        if (BigInt(batch.lastOffset()) + 1n < end) return;
        clearTimeout(tooLate);
        resolve();
      };
      void consumer.run({ autoCommit: false, eachBatch });
    });
  } finally {
    await consumer.disconnect();
  }
  return letters;
};

const endOf = async (kafka: Kafka): Promise<bigint> => {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const [partition] = await admin.fetchTopicOffsets(deadLettersTopic);
    // What was compacted away to the very end leaves nothing to wait for.
    return partition === undefined || partition.low === partition.high ? 0n : BigInt(partition.high);
  } finally {
    await admin.disconnect();
  }
};
