import type { Message } from '@causeway/messaging';
import { describeWithKafka, testBrokers } from '@causeway/testing';
import {
  message,
  newName,
  numberOf,
  numbers,
  onCommand,
  openBus,
  untilReady,
  type BusUnderTest,
} from './testing/bus-under-test.ts';

describeWithKafka('commands on Kafka', () => {
  let brokers: readonly string[];
  beforeAll(async () => {
    brokers = [await testBrokers()];
  });

  const opened: BusUnderTest[] = [];
  const open = (topic: string, settings = {}): BusUnderTest => {
    const bus = openBus({ brokers, ...settings }, [topic]);
    opened.push(bus);
    return bus;
  };
  afterEach(() => Promise.all(opened.splice(0).map((bus) => bus.close())));

  test('each of several askers gets its own reply, one that has just started as well', async () => {
    const [topic, group] = [newName(), newName()];
    const service = open(topic);
    const double = async (m: Message) => ({ ok: true, data: { double: numberOf(m) * 2 } }) as const;
    await service.consume(onCommand(group, topic, double));
    await untilReady(service);
    const askers = [open(topic), open(topic), service];
    const replies = await Promise.all(
      askers.flatMap((asker, a) =>
        numbers(10).map((n) => asker.request(topic, message(`key ${n}`, 100 * a + n, 'asked'), 10_000)),
      ),
    );
    const asked = askers.flatMap((_, a) => numbers(10).map((n) => 100 * a + n));
    expect(replies).toEqual(asked.map((n) => ({ ok: true, data: { double: 2 * n } })));
  });

  test('a process that only answers is ready without listening to replies, and asks nothing', async () => {
    const [topic, group] = [newName(), newName()];
    const service = open(topic, { asks: false });
    await service.consume(onCommand(group, topic, async () => ({ ok: true, data: {} })));
    const asker = open(topic);
    await Promise.all([untilReady(service), untilReady(asker)]);
    expect(await asker.request(topic, message('k', 1, 'asked'), 10_000)).toEqual({ ok: true, data: {} });
    await expect(service.request(topic, message('k', 2, 'asked'), 10_000)).rejects.toThrow('without asking');
  });

  test('a command that waited for its service longer than its sender does is never started', async () => {
    const [topic, group] = [newName(), newName()];
    const asker = open(topic);
    await untilReady(asker);
    await expect(asker.request(topic, message('k', 1, 'asked'), 500)).rejects.toThrow('no reply');
    const begun: number[] = [];
    const service = open(topic);
    const note = async (m: Message) => {
      begun.push(numberOf(m));
      return { ok: true, data: {} } as const;
    };
    await service.consume(onCommand(group, topic, note));
    await untilReady(service);
    await asker.request(topic, message('k', 2, 'asked'), 10_000);
    expect(begun).toEqual([2]);
  });
});
