import { eventually } from '@causeway/messaging/testing';
import { describeWithKafka, testBrokers } from '@causeway/testing';
import { message, newName, numberOf, onEvent, openBus, quick, untilReady } from './testing/bus-under-test.ts';
import { rawProducer } from './testing/raw-client.ts';
import { kafkaTransport } from './transport.ts';

describeWithKafka('a record that none of ours made', () => {
  test('is passed over, told of, and holds nothing up', async () => {
    const [topic, brokers] = [newName(), [await testBrokers()]];
    const forged: string[] = [];
    const got: number[] = [];
    const bus = openBus({ brokers, onForged: (place) => void forged.push(place) }, [topic]);
    const stranger = kafkaTransport({ ...quick, brokers, secrets: [{ id: 'spec', key: Buffer.alloc(32, 6) }] });
    const raw = await rawProducer({ brokers });
    try {
      await bus.consume(onEvent(newName(), topic, async (m) => void got.push(numberOf(m))));
      await untilReady(bus);
      await stranger.publish(topic, [message('k', 1)]);
      await raw.send(topic, [JSON.stringify({ n: 2 })]);
      await bus.publish(topic, [message('k', 3)]);
      await eventually(() => expect([got, forged.length]).toEqual([[3], 2]));
      expect(forged.every((place) => place.startsWith(`${topic}/`))).toBe(true);
    } finally {
      await Promise.all([bus.close(), stranger.close(2000), raw.close()]);
    }
  });
});
