import { gathering, pause } from '@causeway/concurrency';
import { BusClosed } from '@causeway/messaging';
import { CompressionTypes, Partitioners, type Kafka, type Message as KafkaRecord, type Producer } from 'kafkajs';
import type { BrokerClock } from './broker-clock.ts';
import { signed } from './authenticity.ts';
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
  /**
   * The same for one record that goes its way with others of its topic: no wait where there is little to do, few round
   * trips where there is much. A topic that is in trouble holds up no other.
   */
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
  const append = async (topic: string, records: readonly KafkaRecord[]): Promise<void> => {
    await connected;
    const messages = records.map((record) => signed(settings.secrets, topic, record));
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
  const soon = gathering((records: readonly KafkaRecord[], topic) => send(topic, records));

  return {
    isConnected: () => isConnected,
    send,
    sendSoon: (topic, record) => soon([record], topic),
    disconnect: () => producer.disconnect(),
  };
};

const connect = async (producer: Producer, settings: Settings, closing: AbortSignal): Promise<void> => {
  for (;;) {
    try {
      return await producer.connect();
    } catch (error) {
      settings.onFault({ what: 'the brokers cannot be reached yet', detail: { error } });
      await pause(restartPauseMs, closing);
      if (closing.aborted) throw new BusClosed('closed before the brokers could be reached', { cause: error });
    }
  }
};
