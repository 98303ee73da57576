import { busConformance, eventually } from '@causeway/messaging/testing';
import { describeWithKafka, testBrokers } from '@causeway/testing';
import { secrets } from './testing/bus-under-test.ts';
import { kafkaDeadLetterBox } from './dead-letter-box.ts';
import { kafkaTransport } from './transport.ts';
import { trackedSockets } from './sockets.ts';

const minuteMs = 60_000;
const quick = { sessionTimeoutMs: 1500, heartbeatMs: 300 };

describeWithKafka('on a real broker', () => {
  busConformance('the Kafka transport', async (consumers, settings) => {
    const brokers = [await testBrokers()];
    const topics = [...new Set(consumers.flatMap(({ topics }) => topics))].map((name) => ({
      name,
      partitions: 3,
      retentionMs: 10 * minuteMs,
    }));
    const sockets = trackedSockets();
    const bus = kafkaTransport({ ...settings, ...quick, brokers, secrets, topics }, sockets);
    for (const consumer of consumers) await bus.consume(consumer);
    await eventually(() => expect(bus.ready()).toBe(true));
    const crash = async (): Promise<void> => {
      sockets.cutOff();
      await bus.close(2000);
    };
    const groups = new Set(consumers.map(({ group }) => group));
    const deadLetters = async () => {
      const box = await kafkaDeadLetterBox({ brokers, secrets });
      const letters = await box.list();
      await box.close();
      return letters.filter(({ group }) => groups.has(group));
    };
    return { bus, deadLetters, crash };
  });
});
