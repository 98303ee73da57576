import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Consumer } from '../bus.ts';
import type { DeadLetter } from '../dead-letters.ts';
import type { Message, Reply } from '../message.ts';

export type BusSettings = Readonly<{
  attemptsMax: number;
  backoffMs: number;
  backoffMaxMs: number;
  startMarginMs: number;
  onForged(place: string): void;
}>;

export type StartedBus = Readonly<{
  bus: Bus;
  /** All that were set aside so far. */
  deadLetters(): Promise<readonly DeadLetter[]>;
  /** Ends the bus as kill -9 would end its process: nothing that runs in it is heard of again. */
  crash(): Promise<void>;
}>;

export type StartBus = (consumers: readonly Consumer[], settings: BusSettings) => Promise<StartedBus>;
export type Start = (consumers: readonly Consumer[]) => Promise<StartedBus>;

/** Where messages were that were found forged. */
export const forged: string[] = [];

/** Short, so that the suite is. */
export const busSettings: BusSettings = {
  ...{ attemptsMax: 3, backoffMs: 20, backoffMaxMs: 100, startMarginMs: 200 },
  onForged: (place) => void forged.push(place),
};

/** Names that no other test has used: a real broker outlives the suite. */
export const newTopic = (): string => `suite-${randomUUID()}`;

type Handlers = Readonly<{
  group?: string;
  topics: readonly string[];
  events?: Record<string, (message: Message) => Promise<void>>;
  commands?: Record<string, (message: Message) => Promise<Reply>>;
}>;

export const consumer = ({ group = newTopic(), topics, events = {}, commands = {} }: Handlers): Consumer => ({
  group,
  topics,
  events: new Map(Object.entries(events)),
  commands: new Map(Object.entries(commands)),
});

export const message = <D extends object>(key: string, data: D, type = 'noted'): Message<D> => ({
  id: randomUUID(),
  type,
  key,
  data,
  correlationId: 'req-1',
  causationId: 'cause-1',
});

const eventuallyTimeoutMs = 60_000;

/** Tries the expectation until it holds. A real broker takes its time. */
export const eventually = async (expectation: () => void | Promise<void>): Promise<void> => {
  const deadline = performance.now() + eventuallyTimeoutMs;
  for (;;) {
    try {
      return await expectation();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await sleep(10);
  }
};

export const never = (): Promise<never> => new Promise<never>(() => undefined);
