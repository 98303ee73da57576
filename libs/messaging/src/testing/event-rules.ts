import { setTimeout as sleep } from 'node:timers/promises';
import { ForgedMessage, setAsideOf, UnreadableMessage } from '../delivery.ts';
import type { Message } from '../message.ts';
import {
  busSettings,
  consumer,
  eventually,
  forged,
  message,
  never,
  newTopic,
  type Start,
  type StartedBus,
} from './harness.ts';

type N = { n: number };
const numbers = (messages: readonly Message[]): number[] => messages.map(({ data }) => (data as N).n);

export const eventRules = (start: Start): void => {
  let started: StartedBus | undefined;
  const startBus = async (...consumers: Parameters<Start>[0]): Promise<StartedBus> => {
    started = await start(consumers);
    return started;
  };
  afterEach(() => started?.bus.close());

  test('every group gets every message of its topics, and of no other', async () => {
    const [a, b] = [newTopic(), newTopic()];
    const got: Record<string, number[]> = { first: [], second: [] };
    const noting = (name: string) => ({ noted: async ({ data }: Message) => void got[name]?.push((data as N).n) });
    const { bus } = await startBus(
      consumer({ topics: [a], events: noting('first') }),
      consumer({ topics: [a, b], events: noting('second') }),
    );
    await bus.publish(a, [message('k', { n: 1 }), message('k', { n: 2 })]);
    await bus.publish(b, [message('k', { n: 3 })]);
    await eventually(() => {
      expect(got['first']).toEqual([1, 2]);
      expect([...(got['second'] ?? [])].sort()).toEqual([1, 2, 3]);
    });
  });

  test('a message arrives as it was sent, its attachment byte for byte', async () => {
    const topic = newTopic();
    const got: Message[] = [];
    const { bus } = await startBus(consumer({ topics: [topic], events: { noted: async (m) => void got.push(m) } }));
    const sent = { ...message('k', { text: 'é', list: [1, null] }), attachment: Buffer.from([0, 255, 10, 13, 128]) };
    await bus.publish(topic, [sent, message('k', {})]);
    await eventually(() => expect(got).toHaveLength(2));
    expect(got[0]).toEqual(sent);
    expect(got[1]).not.toHaveProperty('attachment');
  });

  test('what one receiver does to its message, neither the sender nor another receiver sees', async () => {
    const topic = newTopic();
    const got: number[][] = [];
    const spoil = async ({ data }: Message) => {
      const { list } = data as { list: number[] };
      got.push([...list]);
      list.push(9);
    };
    const consumers = [1, 2].map(() => consumer({ topics: [topic], events: { noted: spoil } }));
    const { bus } = await startBus(...consumers);
    const sent = message('k', { list: [1] });
    await bus.publish(topic, [sent]);
    await eventually(() => expect(got).toEqual([[1], [1]]));
    expect(sent.data.list).toEqual([1]);
  });

  test('messages of one key are handled one at a time in the order they were published', async () => {
    const topic = newTopic();
    const got: Record<string, number[]> = { a: [], b: [], c: [] };
    const running = new Set<string>();
    const noted = async ({ key, data }: Message) => {
      expect(running.has(key)).toBe(false);
      running.add(key);
      await sleep((data as N).n % 3);
      running.delete(key);
      got[key]?.push((data as N).n);
    };
    const { bus, deadLetters } = await startBus(consumer({ topics: [topic], events: { noted } }));
    const batches = [0, 20, 40].map((from) =>
      Array.from({ length: 20 }, (_, i) => ['a', 'b', 'c'].map((key) => message(key, { n: from + i }))).flat(),
    );
    for (const batch of batches) await bus.publish(topic, batch);
    const all = Array.from({ length: 60 }, (_, n) => n);
    await eventually(() => expect(got).toEqual({ a: all, b: all, c: all }));
    expect(await deadLetters()).toEqual([]);
  });

  test('what a handler throws is tried again, and the next of its key waits for it', async () => {
    const topic = newTopic();
    const tried: number[] = [];
    const noted = async ({ data }: Message) => {
      tried.push((data as N).n);
      if (tried.length < busSettings.attemptsMax) throw new Error('not yet');
    };
    const { bus, deadLetters } = await startBus(consumer({ topics: [topic], events: { noted } }));
    await bus.publish(topic, [message('k', { n: 1 }), message('k', { n: 2 })]);
    await eventually(() => expect(tried).toEqual([1, 1, 1, 2]));
    expect(await deadLetters()).toEqual([]);
  });

  test('a message that fails every time is set aside with the reason, and the next of its key is handled', async () => {
    const topic = newTopic();
    const group = newTopic();
    const done: Message[] = [];
    const noted = async (m: Message) => {
      if ((m.data as N).n === 1) throw new Error('cannot read this');
      done.push(m);
    };
    const { bus, deadLetters } = await startBus(consumer({ group, topics: [topic], events: { noted } }));
    const poison = { ...message('k', { n: 1 }), attachment: Buffer.from('cipher') };
    await bus.publish(topic, [poison, message('k', { n: 2 })]);
    await eventually(() => expect(numbers(done)).toEqual([2]));
    const attempts = busSettings.attemptsMax;
    const [letter, ...others] = await deadLetters();
    expect(others).toEqual([]);
    expect(letter).toMatchObject({ group, topic, message: poison, reason: 'Error: cannot read this', attempts });
    expect(Date.parse(letter?.lastFailedAt ?? '')).toBeGreaterThan(Date.parse(letter?.firstFailedAt ?? ''));
  });

  test('a message that its handler finds forged is passed over and told of, and holds up nothing', async () => {
    const topic = newTopic();
    const tried: number[] = [];
    const noted = async ({ data }: Message) => {
      tried.push((data as N).n);
      if ((data as N).n === 1) throw new ForgedMessage('of another');
    };
    const { bus, deadLetters } = await startBus(consumer({ topics: [topic], events: { noted } }));
    const another = message('k', { n: 1 });
    await bus.publish(topic, [another, message('k', { n: 2 })]);
    await eventually(() => expect(tried).toEqual([1, 2]));
    expect(await deadLetters()).toEqual([]);
    expect(forged.filter((place) => place.startsWith(topic))).toEqual([`${topic}/noted/${another.id}`]);
  });

  test('a group hears what was set aside before it is given the next of the key, and is not let off', async () => {
    const topic = newTopic();
    const heard: string[] = [];
    const noted = async ({ data }: Message) => {
      heard.push(`${(data as N).n}`);
      if ((data as N).n === 1) throw new Error('cannot read this');
    };
    const setAside = async ({ data }: Message) => {
      heard.push(`${(data as N).n} set aside`);
      if (heard.length < busSettings.attemptsMax + 3) throw new Error('not yet');
    };
    const { bus, deadLetters } = await startBus(
      consumer({ topics: [topic], events: { noted, [setAsideOf('noted')]: setAside } }),
    );
    await bus.publish(topic, [message('k', { n: 1 }), message('k', { n: 2 })]);
    const tries = Array.from({ length: busSettings.attemptsMax }, () => '1');
    const told = ['1 set aside', '1 set aside', '1 set aside'];
    await eventually(() => expect(heard).toEqual([...tries, ...told, '2']));
    expect(await deadLetters()).toHaveLength(1);
  });

  test('a message that is found unreadable is set aside at once, by its reason; who hears of it may find it so too', async () => {
    const topic = newTopic();
    const heard: string[] = [];
    const noted = async ({ data }: Message) => {
      heard.push(String((data as N).n));
      if ((data as N).n === 1) throw new UnreadableMessage('n must be 2');
    };
    const setAside = async () => {
      heard.push('set aside');
      throw new UnreadableMessage('it names nothing');
    };
    const { bus, deadLetters } = await startBus(
      consumer({ topics: [topic], events: { noted, [setAsideOf('noted')]: setAside } }),
    );
    await bus.publish(topic, [message('k', { n: 1 }), message('k', { n: 2 })]);
    await eventually(() => expect(heard).toEqual(['1', 'set aside', '2']));
    expect(await deadLetters()).toMatchObject([{ reason: 'Error: n must be 2', attempts: 1 }]);
  });

  test('a key that fails or hangs holds up no other key, and a group no other group', async () => {
    const [topic, hanging] = [newTopic(), newTopic()];
    const done: number[] = [];
    const noted = async (m: Message) => {
      if (m.key === 'poison') throw new Error('no');
      if (m.key === hanging) await never();
      done.push((m.data as N).n);
    };
    const { bus, crash } = await startBus(
      consumer({ topics: [topic], events: { noted } }),
      consumer({ topics: [topic], events: { noted } }),
    );
    const others = Array.from({ length: 20 }, (_, n) => message(`key ${n}`, { n }));
    const publishing = bus.publish(topic, [message('poison', { n: -1 }), message(hanging, { n: -1 }), ...others]);
    publishing.catch(() => undefined);
    const twice = others.flatMap(({ data: { n } }) => [n, n]);
    await eventually(() => expect(done.sort((x, y) => x - y)).toEqual(twice));
    await crash();
    started = undefined;
  });

  test('a type that a group has no handler for is passed over', async () => {
    const topic = newTopic();
    const done: Message[] = [];
    const noted = async (m: Message) => void done.push(m);
    const { bus, deadLetters } = await startBus(consumer({ topics: [topic], events: { noted } }));
    await bus.publish(topic, [message('k', { n: 1 }, 'unheard-of'), message('k', { n: 2 })]);
    await eventually(() => expect(numbers(done)).toEqual([2]));
    expect(await deadLetters()).toEqual([]);
  });
};
