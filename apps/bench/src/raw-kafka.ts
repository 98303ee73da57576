import { brokerSource, NoBroker } from '@causeway/kafka-broker';
import { ensureTopics, kafkaSettings } from '@causeway/messaging-kafka';
import { rawProducer } from '@causeway/messaging-kafka/testing';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { worker } from './worker.ts';

/** Of a record: about what a message of ours is. */
const valueBytes = 500;
const retentionMs = 3_600_000;
/** What was acknowledged and has not come by then does not come. */
const lostAfterMs = 30_000;

/**
 * Why no broker can be had here; undefined where one can. One that runs already is never used: another system may be on
 * it, and would find our messages in its topics.
 */
export const missingBroker = async (): Promise<string | undefined> => {
  delete process.env['CAUSEWAY_KAFKA_BROKERS'];
  try {
    await brokerSource();
    return undefined;
  } catch (error) {
    if (error instanceof NoBroker) return error.message;
    throw error;
  }
};

/** The environment with the broker that the five processes were started with. */
export const kafkaEnvOf = (dataDir: string): NodeJS.ProcessEnv => {
  const { kafkaBrokers } = JSON.parse(readFileSync(join(dataDir, 'runtime.json'), 'utf8')) as { kafkaBrokers: string };
  const secrets = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as Readonly<Record<string, string>>;
  return { ...process.env, ...secrets, CAUSEWAY_KAFKA_BROKERS: kafkaBrokers };
};

/** Milliseconds from produce to consume, of each record. */
export type RawKafka = Readonly<{
  /** The next is sent when the last has come. */
  oneByOne(records: number): Promise<number[]>;
  /** Each at its time. Those that are due while a call is under way go together in the next: no wait, and no queue of calls. */
  flowing(records: number, perSecond: number): Promise<number[]>;
}>;

const stamped = (): string => `${process.hrtime.bigint()} `.padEnd(valueBytes, '.');

/** The client alone, in two processes: this one produces, a worker consumes. */
export const withRawKafka = async <T>(dataDir: string, work: (raw: RawKafka) => Promise<T>): Promise<T> => {
  const env = kafkaEnvOf(dataDir);
  const connection = kafkaSettings(env);
  const topic = `bench.raw-${randomUUID()}`;
  await ensureTopics(connection, [{ name: topic, partitions: 1, retentionMs }]);
  const consumer = worker('raw-kafka', [topic], env);
  const producer = await rawProducer(connection);
  try {
    await consumer.reply<'ready'>();
    let times: number[] = [];
    let heard = (): void => undefined;
    let fail = (_error: Error): void => undefined;
    consumer.child.on('message', (came: readonly number[]) => {
      times.push(...came);
      heard();
    });
    consumer.ended.catch((error: Error) => fail(error));
    const came = (records: number): Promise<void> =>
      new Promise((resolve, reject) => {
        const lost = () => reject(new Error(`${times.length} of ${records} records came`));
        const timer = setTimeout(lost, lostAfterMs);
        fail = reject;
        heard = () => {
          if (times.length < records) return;
          clearTimeout(timer);
          resolve();
        };
        heard();
      });
    const oneByOne = async (records: number): Promise<number[]> => {
      times = [];
      for (let record = 1; record <= records; record++) {
        await producer.send(topic, [stamped()]);
        await came(record);
      }
      return times;
    };
    const flowing = async (records: number, perSecond: number): Promise<number[]> => {
      times = [];
      let waiting: string[] = [];
      const sendAll = async (): Promise<void> => {
        while (waiting.length > 0) {
          const batch = waiting;
          waiting = [];
          await producer.send(topic, batch);
        }
      };
      let failure: unknown;
      let sending: Promise<void> | undefined;
      const began = performance.now();
      for (let record = 0; record < records && failure === undefined; record++) {
        const aheadMs = began + (1000 * record) / perSecond - performance.now();
        if (aheadMs > 0) await sleep(aheadMs);
        waiting.push(stamped());
        sending ??= sendAll()
          .catch((error: unknown) => void (failure = error))
          .finally(() => (sending = undefined));
      }
      await sending;
      if (failure !== undefined) throw new Error('the records could not be sent', { cause: failure });
      await came(records);
      return times;
    };
    return await work({ oneByOne, flowing });
  } finally {
    await producer.close();
    consumer.child.disconnect();
  }
};
