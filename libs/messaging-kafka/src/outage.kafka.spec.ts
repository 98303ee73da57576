import { DeadlineExceeded, type Message } from '@causeway/messaging';
import { eventually } from '@causeway/messaging/testing';
import { startBroker, type Broker } from '@causeway/kafka-broker';
import { describeWithOwnKafka, withRoom } from '@causeway/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { message, newName, numberOf, onCommand, onEvent, openBus, untilReady } from './testing/bus-under-test.ts';

const brokerTimeoutMs = 120_000;
const askMs = 2000;

describeWithOwnKafka('a broker that goes away', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'causeway-outage-'));
  let broker: Broker;
  beforeAll(async () => {
    broker = await startBroker({ dataDir });
  }, brokerTimeoutMs);
  afterAll(async () => {
    await broker.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }, brokerTimeoutMs);

  const msSince = (since: number): number => performance.now() - since;
  const askedInVain = async (bus: ReturnType<typeof openBus>, topic: string): Promise<void> => {
    const since = performance.now();
    await expect(bus.request(topic, message('k', -1, 'asked'), askMs)).rejects.toThrow(DeadlineExceeded);
    expect(msSince(since)).toBeLessThan(withRoom(askMs));
  };
  const closesInTime = async (bus: ReturnType<typeof openBus>): Promise<void> => {
    const since = performance.now();
    await bus.close();
    expect(msSince(since)).toBeLessThan(withRoom(10_000));
  };

  test(
    'killed: what was acknowledged arrives, what is asked is answered in time, and all goes on when it is back',
    async () => {
      const [topic, commands] = [newName(), newName()];
      const bus = openBus({ brokers: [broker.address] }, [topic, commands]);
      const got = new Set<number>();
      await bus.consume(onEvent(newName(), topic, async (m: Message) => void got.add(numberOf(m))));
      await bus.consume(onCommand(newName(), commands, async () => ({ ok: true, data: {} })));
      await untilReady(bus);
      const acknowledged: number[] = [];
      let isOver = false;
      const publishing = (async () => {
        for (let n = 0; !isOver; n++) {
          const told = await bus.publish(topic, [message(`key ${n % 5}`, n)]).then(
            () => true,
            () => false,
          );
          if (told) acknowledged.push(n);
        }
      })();
      await eventually(() => expect(got.size).toBeGreaterThan(20));

      process.kill(broker.pid, 'SIGKILL');
      await broker.exited;
      await askedInVain(bus, commands);
      await eventually(() => expect(bus.ready()).toBe(false));
      broker = await startBroker({ dataDir, port: broker.port });
      await untilReady(bus);
      const before = acknowledged.length;
      await eventually(() => expect(acknowledged.length).toBeGreaterThan(before + 20));
      isOver = true;
      await publishing;
      await eventually(() => expect(acknowledged.filter((n) => !got.has(n))).toEqual([]));
      expect(await bus.request(commands, message('k', 1, 'asked'), 10_000)).toEqual({ ok: true, data: {} });
      await closesInTime(bus);
    },
    brokerTimeoutMs,
  );

  test(
    'stopped: what was asked meanwhile is not started when it goes on, and the bus closes in time',
    async () => {
      const topic = newName();
      const service = openBus({ brokers: [broker.address] }, [topic]);
      const begun: number[] = [];
      const note = async (m: Message) => {
        begun.push(numberOf(m));
        return { ok: true, data: {} } as const;
      };
      await service.consume(onCommand(newName(), topic, note));
      const asker = openBus({ brokers: [broker.address] }, [topic]);
      await Promise.all([untilReady(service), untilReady(asker)]);
      process.kill(broker.pid, 'SIGSTOP');
      await askedInVain(asker, topic);
      await closesInTime(asker);
      process.kill(broker.pid, 'SIGCONT');

      const later = openBus({ brokers: [broker.address] }, [topic]);
      await Promise.all([untilReady(service), untilReady(later)]);
      await later.request(topic, message('k', 2, 'asked'), 10_000);
      expect(begun).toEqual([2]);
      await Promise.all([closesInTime(later), closesInTime(service)]);
    },
    brokerTimeoutMs,
  );

  test(
    'not there yet: a bus opens, waits for it, and closes in time without it',
    async () => {
      const topic = newName();
      await broker.stop();
      const never = openBus({ brokers: [broker.address] }, [topic]);
      await never.consume(onEvent(newName(), topic, async () => undefined));
      await askedInVain(never, topic);
      expect(never.ready()).toBe(false);
      await closesInTime(never);

      const bus = openBus({ brokers: [broker.address] }, [topic]);
      const got: number[] = [];
      await bus.consume(onEvent(newName(), topic, async (m) => void got.push(numberOf(m))));
      broker = await startBroker({ dataDir, port: broker.port });
      await untilReady(bus);
      await bus.publish(topic, [message('k', 1)]);
      await eventually(() => expect(got).toEqual([1]));
      await closesInTime(bus);
    },
    brokerTimeoutMs,
  );
});
