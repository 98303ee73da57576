import { inTime, type Bus, type Message, type Reply } from '@causeway/messaging';
import type { Calls } from './calls.ts';

/** A bus as another thread calls it. */
export type BusCalls = Readonly<{
  publish(topic: string, messages: readonly Message[]): Promise<void>;
  request(topic: string, message: Message, deadlineMs: number): Promise<Reply>;
  closeBus(withinMs?: number): Promise<void>;
}>;

/** The one clock that reads the same in every thread of the process. */
const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** A buffer comes out of a port as plain bytes. */
const received = (message: Message): Message =>
  message.attachment === undefined ? message : { ...message, attachment: Buffer.from(message.attachment) };

/** What the thread that has the bus offers, or will have it. */
export const busCalls = (bus: Bus | Promise<Bus>): BusCalls => ({
  publish: async (topic, messages) => (await bus).publish(topic, messages.map(received)),
  request: async (topic, message, deadlineMs) => (await bus).request(topic, received(message), deadlineMs - nowMs()),
  closeBus: async (withinMs) => (await bus).close(withinMs),
});

/** The bus of another thread. It is ready while that thread is there; whether its bus is, that thread knows. */
export const farBus = (far: Calls<BusCalls>): Bus => {
  let isClosed = false;
  return {
    publish: (topic, messages) => far.call('publish', topic, messages),
    request: <D extends object>(topic: string, message: Message, timeLeftMs: number) => {
      const reply = far.call('request', topic, message, nowMs() + timeLeftMs);
      return inTime(reply, timeLeftMs, message.type) as Promise<Reply<D>>;
    },
    ready: () => !isClosed,
    close: (withinMs) => {
      isClosed = true;
      return far.call('closeBus', withinMs);
    },
  };
};
