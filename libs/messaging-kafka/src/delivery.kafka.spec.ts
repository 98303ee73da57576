import type { DeadLetter, Message } from '@causeway/messaging';
import { eventually } from '@causeway/messaging/testing';
import { describeWithKafka, testBrokers } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  message,
  newName,
  numberOf,
  numbers,
  onEvent,
  openBus,
  quick,
  secrets,
  untilReady,
  type BusUnderTest,
} from './testing/bus-under-test.ts';
import { kafkaDeadLetterBox } from './dead-letter-box.ts';

describeWithKafka('delivery on Kafka', () => {
  let brokers: readonly string[];
  beforeAll(async () => {
    brokers = [await testBrokers()];
  });

  const opened: BusUnderTest[] = [];
  const open = (topic: string, settings = {}, partitions = 3): BusUnderTest => {
    const bus = openBus({ brokers, ...settings }, [topic], partitions);
    opened.push(bus);
    return bus;
  };
  afterEach(() => Promise.all(opened.splice(0).map((bus) => bus.close())));

  test('after a kill, what was not committed comes again, and what was committed does not', async () => {
    const [topic, group] = [newName(), newName()];
    const first = open(topic);
    const before: number[] = [];
    const hangAt7 = async (m: Message) => {
      before.push(numberOf(m));
      if (numberOf(m) === 7) await new Promise(() => undefined);
    };
    await first.consume(onEvent(group, topic, hangAt7));
    await untilReady(first);
    await first.publish(
      topic,
      numbers(10).map((n) => message('k', n)),
    );
    await eventually(() => expect(before).toEqual(numbers(8)));
    await sleep(3 * quick.commitEveryMs);
    first.cutOff();

    const after: number[] = [];
    const second = open(topic);
    await second.consume(onEvent(group, topic, async (m) => void after.push(numberOf(m))));
    await eventually(() => expect(after).toEqual([7, 8, 9]));
  });

  test('after a close that waited for a handler, what it handled does not come again', async () => {
    const [topic, group] = [newName(), newName()];
    const first = open(topic);
    let begun = (): void => undefined;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const slowly = async () => {
      begun();
      await sleep(300);
    };
    await first.consume(onEvent(group, topic, slowly));
    await untilReady(first);
    await first.publish(topic, [message('k', 1)]);
    await running;
    await first.close();

    const second = open(topic);
    const after: number[] = [];
    await second.consume(onEvent(group, topic, async (m) => void after.push(numberOf(m))));
    await untilReady(second);
    await second.publish(topic, [message('k', 2)]);
    await eventually(() => expect(after).toContain(2));
    expect(after).toEqual([2]);
  });

  test('what a member had in hand when its session was over, it does not begin', async () => {
    const [topic, group] = [newName(), newName()];
    const first = open(topic);
    const byFirst: number[] = [];
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const slowly = async (m: Message) => {
      byFirst.push(numberOf(m));
      await held;
    };
    await first.consume(onEvent(group, topic, slowly));
    await untilReady(first);
    await first.publish(
      topic,
      numbers(5).map((n) => message('k', n)),
    );
    await eventually(() => expect(byFirst).toEqual([0]));
    first.cutOff();

    const bySecond: number[] = [];
    const second = open(topic);
    await second.consume(onEvent(group, topic, async (m) => void bySecond.push(numberOf(m))));
    await eventually(() => expect(bySecond).toEqual(numbers(5)));
    release();
    await sleep(300);
    expect(byFirst).toEqual([0]);
  });

  test('members come and go: every message is handled, those of a key in order, few twice', async () => {
    const [topic, group] = [newName(), newName()];
    const keys = numbers(12).map((n) => `key ${n}`);
    const seen = new Map<string, Set<number>>(keys.map((key) => [key, new Set()]));
    const outOfOrder: string[] = [];
    let [handled, running] = [0, 0];
    const noted = async (m: Message) => {
      running += 1;
      const its = seen.get(m.key) as Set<number>;
      if (!its.has(numberOf(m)) && its.size !== numberOf(m)) outOfOrder.push(`${m.key}: ${numberOf(m)}`);
      its.add(numberOf(m));
      handled += 1;
      await sleep(2);
      running -= 1;
    };
    const join = async (): Promise<BusUnderTest> => {
      const bus = open(topic, {}, 6);
      await bus.consume(onEvent(group, topic, noted));
      return bus;
    };
    const first = await join();
    await untilReady(first);
    const rounds = 60;
    const publishing = (async () => {
      for (const n of numbers(rounds)) {
        await first.publish(
          topic,
          keys.map((key) => message(key, n)),
        );
        await sleep(50);
      }
    })();
    const [second, third] = [await join(), await join()];
    await Promise.all([untilReady(second), untilReady(third)]);
    await second.close();
    await third.close();
    await publishing;
    await eventually(() => {
      expect([...seen.values()].map(({ size }) => size)).toEqual(keys.map(() => rounds));
      expect(running).toBe(0);
    });
    expect(outOfOrder).toEqual([]);
    expect(handled).toBeLessThan(rounds * keys.length * 3);
  });

  test('a handler that takes longer than a session costs no membership, and runs once', async () => {
    const [topic, group] = [newName(), newName()];
    const bus = open(topic);
    let [begun, done] = [0, 0];
    const slow = async () => {
      begun += 1;
      await sleep(2.5 * quick.sessionTimeoutMs);
      done += 1;
    };
    await bus.consume(onEvent(group, topic, slow));
    await untilReady(bus);
    await bus.publish(topic, [message('k', 1)]);
    await eventually(() => expect(begun).toBe(1));
    while (done === 0) {
      expect(bus.ready()).toBe(true);
      await sleep(100);
    }
    await sleep(2 * quick.heartbeatMs);
    expect([begun, done]).toEqual([1, 1]);
  });

  test('a dead letter asked for again goes to its group alone, counts on when it fails, and goes when it is handled', async () => {
    const [topic, group] = [newName(), newName()];
    const bus = open(topic, { attemptsMax: 2 });
    let fails = true;
    const got: Message[] = [];
    const others: Message[] = [];
    const noted = async (m: Message) => {
      if (fails) throw new Error('cannot read this');
      got.push(m);
    };
    await bus.consume(onEvent(group, topic, noted));
    await bus.consume(onEvent(newName(), topic, async (m) => void others.push(m)));
    await untilReady(bus);
    const poison = { ...message('k', 1), attachment: Buffer.from([0, 255]) };
    await bus.publish(topic, [poison]);

    const box = await kafkaDeadLetterBox({ brokers, secrets });
    const ours = async () => (await box.list()).filter((letter) => letter.group === group);
    await eventually(async () => expect(await ours()).toMatchObject([{ message: poison, attempts: 2 }]));
    const [{ id, firstFailedAt } = { id: '', firstFailedAt: '' }] = await ours();
    expect(await box.retry(id)).toBe('asked');
    await eventually(async () => expect(await ours()).toMatchObject([{ id, firstFailedAt, attempts: 4 }]));
    fails = false;
    await box.retry(id);
    await eventually(async () => expect(await ours()).toEqual([]));
    expect(got).toEqual([poison]);
    expect(others).toEqual([poison]);
    expect([await box.retry(id), await box.drop(id)]).toEqual(['unknown', 'unknown']);
    await box.close();
  });

  test('what is no message of ours is set aside with the reason, and somebody is told', async () => {
    const [topic, group] = [newName(), newName()];
    const heard: DeadLetter[] = [];
    const bus = open(topic, { attemptsMax: 1, onDeadLetter: (letter: DeadLetter) => void heard.push(letter) });
    await bus.consume(onEvent(group, topic, async () => undefined));
    await untilReady(bus);
    await bus.publish(topic, [{ ...message('k', 1), data: 'no object' as unknown as { n: number } }]);
    const box = await kafkaDeadLetterBox({ brokers, secrets });
    const ours = async () => (await box.list()).filter((letter) => letter.group === group);
    await eventually(async () =>
      expect(await ours()).toMatchObject([{ reason: 'Error: its value is no JSON object' }]),
    );
    expect(heard).toMatchObject([{ group, topic, reason: 'Error: its value is no JSON object' }]);
    const [letter] = await ours();
    expect(await box.drop(letter?.id ?? '')).toBe('dropped');
    expect(await ours()).toEqual([]);
    await box.close();
  });

  test('parts of a statement go through however many are published at once', async () => {
    const [topic, group] = [newName(), newName()];
    const bus = open(topic);
    const got: (number | undefined)[] = [];
    await bus.consume(onEvent(group, topic, async ({ attachment }) => void got.push(attachment?.length)));
    await untilReady(bus);
    const partBytes = 512 * 1024;
    const parts = numbers(40).map((n) => ({ ...message('k', n), attachment: Buffer.alloc(partBytes, n) }));
    await bus.publish(topic, parts);
    await eventually(() => expect(got).toEqual(parts.map(() => partBytes)));
  });
});
