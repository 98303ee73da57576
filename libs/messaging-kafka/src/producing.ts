import { BusClosed } from '@causeway/messaging';
import { CompressionTypes, Partitioners, type Kafka, type Message as KafkaRecord, type Producer } from 'kafkajs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrokerClock } from './broker-clock.ts';
import { sizeOf } from './records.ts';
import type { Settings } from './settings.ts';

/** Below Kafka's default limit of a batch, 1 MB, with room for what the batch adds. */
const batchBytesMax = 900_000;
const batchMessagesMax = 500;
const restartPauseMs = 500;
const acksOfAll = -1;

export type Producing = Readonly<{
  isConnected(): boolean;
  /** Resolves when every record is acknowledged by all replicas; those of one topic and call keep their order. */
  send(topic: string, records: readonly KafkaRecord[]): Promise<void>;
  /** The same for one record that goes its way with others that are about to leave. */
  sendSoon(topic: string, record: KafkaRecord): Promise<void>;
  disconnect(): Promise<void>;
}>;

/** Parts of at most so many bytes and messages, in order. */
export const inBatches = (records: readonly KafkaRecord[]): KafkaRecord[][] => {
  const batches: KafkaRecord[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const size = sizeOf(record);
    const last = batches.at(-1);
    if (last === undefined || bytes + size > batchBytesMax || last.length === batchMessagesMax) {
      batches.push([record]);
      bytes = size;
    } else {
      last.push(record);
      bytes += size;
    }
  }
  return batches;
};

type Waiting = Readonly<{ record: KafkaRecord; resolve: () => void; reject: (error: Error) => void }>;

export const producing = (kafka: Kafka, settings: Settings, clock: BrokerClock, closing: AbortSignal): Producing => {
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  });
  let isConnected = false;
  const connected = connect(producer, settings, closing).then(() => void (isConnected = true));
  connected.catch(() => undefined);

  const told = new Set<string>();
  const untimed = (topic: string): void => {
    if (told.has(topic)) return;
    told.add(topic);
    settings.onFault({ what: `${topic} needs message.timestamp.type=LogAppendTime`, detail: {} });
  };
  const append = async (topic: string, messages: KafkaRecord[]): Promise<void> => {
    await connected;
    const sentMs = clock.localMs();
    const appended = await producer.send({ topic, messages, acks: acksOfAll, compression: CompressionTypes.None });
    // The client passes over a partition that it does not know, and calls that sent.
    if (appended.length === 0) throw new Error(`${topic}: no such partition is known here`);
    const answeredMs = clock.localMs();
    const appendedAt = Number(appended[0]?.logAppendTime);
    if (!(appendedAt > 0)) untimed(topic);
    clock.measured(sentMs, answeredMs, appendedAt);
  };
  const send = async (topic: string, records: readonly KafkaRecord[]): Promise<void> => {
    for (const batch of inBatches(records)) await append(topic, batch);
  };

  return {
    isConnected: () => isConnected,
    send,
    sendSoon: soon(send),
    disconnect: () => producer.disconnect(),
  };
};

/**
 * While one batch of a topic is under way, its next one gathers: no wait where there is little to do, few round trips where
 * there is much. A topic that is in trouble holds up no other.
 */
const soon = (send: Producing['send']) => {
  const topics = new Map<string, Waiting[]>();

  const sendAll = async (topic: string, waiting: Waiting[]): Promise<void> => {
    while (waiting.length > 0) await sendTogether(send, topic, waiting.splice(0));
    topics.delete(topic);
  };
  return (topic: string, record: KafkaRecord): Promise<void> =>
    new Promise<void>((resolve, reject) => {
      const waiting = topics.get(topic) ?? [];
      waiting.push({ record, resolve, reject });
      if (topics.has(topic)) return;
      topics.set(topic, waiting);
      void sendAll(topic, waiting);
    });
};

const sendTogether = async (send: Producing['send'], topic: string, batch: readonly Waiting[]): Promise<void> => {
  try {
    await send(
      topic,
      batch.map(({ record }) => record),
    );
    for (const { resolve } of batch) resolve();
  } catch (error) {
    for (const { reject } of batch) reject(error as Error);
  }
};

const connect = async (producer: Producer, settings: Settings, closing: AbortSignal): Promise<void> => {
  for (;;) {
    try {
      return await producer.connect();
    } catch (error) {
      settings.onFault({ what: 'the brokers cannot be reached yet', detail: { error } });
      await sleep(restartPauseMs, undefined, { signal: closing }).catch(() => undefined);
      if (closing.aborted) throw new BusClosed('closed before the brokers could be reached', { cause: error });
    }
  }
};
