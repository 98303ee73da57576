import { BusClosed, type Consumer, type DeadLetter, type Message } from '@causeway/messaging';
import { busConformance } from '@causeway/messaging/testing';
import { withRoom } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { inProcessBroker } from './broker.ts';

busConformance('the in-process broker', async (consumers, settings) => {
  const letters: DeadLetter[] = [];
  const bus = inProcessBroker({ ...settings, deadLetters: { add: async (letter) => void letters.push(letter) } });
  for (const consumer of consumers) await bus.consume(consumer);
  bus.open();
  return { bus, deadLetters: async () => letters, crash: async () => undefined };
});

const message = (n: number): Message => ({
  id: `m${n}`,
  type: 'noted',
  key: 'k',
  data: { n },
  correlationId: 'req-1',
  causationId: 'cause-1',
});
const consumer = (noted: (message: Message) => Promise<void>): Consumer => ({
  group: 'ledger',
  topics: ['t'],
  events: new Map([['noted', noted]]),
  commands: new Map(),
});
const deadLetters = { add: async () => undefined };

describe('the in-process broker keeps nothing, so', () => {
  test('publishing ends only when every handler is done', async () => {
    const broker = inProcessBroker({ deadLetters });
    let done = 0;
    await broker.consume(consumer(async () => sleep(20).then(() => void (done += 1))));
    broker.open();
    await broker.publish('t', [message(1), message(2)]);
    expect(done).toBe(2);
  });

  test('what is published before it is open waits for the groups to come', async () => {
    const broker = inProcessBroker({ deadLetters });
    const got: string[] = [];
    const publishing = broker.publish('t', [message(1)]);
    await broker.consume(consumer(async ({ id }) => void got.push(id)));
    broker.open();
    await publishing;
    expect(got).toEqual(['m1']);
  });

  test('a publisher whose message was still waiting for its next try is told that it was not dealt with', async () => {
    const broker = inProcessBroker({ deadLetters, backoffMs: 60_000, backoffMaxMs: 60_000 });
    const tried: string[] = [];
    await broker.consume(
      consumer(async ({ id }) => {
        tried.push(id);
        throw new Error('no');
      }),
    );
    broker.open();
    const publishing = broker.publish('t', [message(1), message(2)]);
    const outcome = expect(publishing).rejects.toThrow(BusClosed);
    await sleep(20);
    await broker.close();
    await outcome;
    expect(tried).toEqual(['m1']);
  });

  test('a message is not set aside while the database is away, however often it is tried', async () => {
    const letters: DeadLetter[] = [];
    const keep = { add: async (letter: DeadLetter) => void letters.push(letter) };
    const broker = inProcessBroker({ deadLetters: keep, attemptsMax: 2, backoffMs: 1, backoffMaxMs: 1 });
    let tries = 0;
    const away = Object.assign(new Error('the database system is starting up'), { code: '57P03' });
    await broker.consume(
      consumer(async () => {
        if (++tries < 9) throw away;
      }),
    );
    broker.open();
    await broker.publish('t', [message(1)]);
    expect([tries, letters]).toEqual([9, []]);
  });

  test('a dead letter that cannot be kept holds its key back until it can', async () => {
    const log: string[] = [];
    const add = async ({ message: { id } }: DeadLetter) => {
      log.push(`${id} to be kept`);
      if (log.length < 3) throw new Error('the database is down');
    };
    const broker = inProcessBroker({ deadLetters: { add }, attemptsMax: 1, backoffMs: 1 });
    await broker.consume(
      consumer(async ({ id }) => {
        if (id === 'm1') throw new Error('no');
        log.push(`${id} handled`);
      }),
    );
    broker.open();
    await broker.publish('t', [message(1), message(2)]);
    expect(log).toEqual(['m1 to be kept', 'm1 to be kept', 'm1 to be kept', 'm2 handled']);
  });

  test('closing gives up on a handler that hangs', async () => {
    const broker = inProcessBroker({ deadLetters });
    await broker.consume(consumer(() => new Promise<never>(() => undefined)));
    broker.open();
    void broker.publish('t', [message(1)]);
    await sleep(10);
    const since = performance.now();
    await broker.close(50);
    expect(performance.now() - since).toBeLessThan(withRoom(50));
  });

  test('two consumers of one group on one topic are a mistake', async () => {
    const broker = inProcessBroker({ deadLetters });
    await broker.consume(consumer(async () => undefined));
    await expect(broker.consume(consumer(async () => undefined))).rejects.toThrow('ledger consumes t already');
  });
});
