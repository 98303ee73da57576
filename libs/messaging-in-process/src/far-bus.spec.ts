import { BusClosed, CommandFailed, type DeadLetter, type Message } from '@causeway/messaging';
import { busConformance } from '@causeway/messaging/testing';
import { isOutage } from '@causeway/postgres';
import { MessageChannel } from 'node:worker_threads';
import { inProcessBroker } from './broker.ts';
import { answerCalls, callsOver } from './calls.ts';
import { busCalls, farBus, type BusCalls } from './far-bus.ts';

const farFrom = (broker: Parameters<typeof busCalls>[0]) => {
  const { port1, port2 } = new MessageChannel();
  answerCalls(port1, busCalls(broker));
  const calls = callsOver<BusCalls>(port2);
  [port1, port2].forEach((port) => port.unref());
  return { bus: farBus(calls), hangUp: () => port2.close() };
};

busConformance('the bus of another thread', async (consumers, settings) => {
  const letters: DeadLetter[] = [];
  const broker = inProcessBroker({ ...settings, deadLetters: { add: async (letter) => void letters.push(letter) } });
  for (const consumer of consumers) await broker.consume(consumer);
  broker.open();
  return { bus: farFrom(broker).bus, deadLetters: async () => letters, crash: async () => undefined };
});

const message: Message = { id: 'm', type: 'do', key: 'k', data: {}, correlationId: 'r', causationId: 'c' };

describe('over a port', () => {
  test('the cause of a failure is told, so that an outage is known as one', async () => {
    const broker = inProcessBroker({ deadLetters: { add: async () => undefined } });
    const away = Object.assign(new Error('the database system is starting up'), { code: '57P03' });
    const commands = new Map([['do', () => Promise.reject<never>(away)]]);
    await broker.consume({ group: 'g', topics: ['t'], events: new Map(), commands });
    broker.open();
    const { bus, hangUp } = farFrom(broker);
    const failure = await bus.request('t', message, 5000).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CommandFailed);
    expect(isOutage(failure)).toBe(true);
    hangUp();
  });

  test('who waits for a thread that is gone hears of it, and so does who asks afterwards', async () => {
    const { bus, hangUp } = farFrom(inProcessBroker({ deadLetters: { add: async () => undefined } }));
    const waiting = expect(bus.publish('t', [message])).rejects.toThrow(BusClosed);
    hangUp();
    await waiting;
    await expect(bus.request('t', message, 5000)).rejects.toThrow(BusClosed);
  });
});
