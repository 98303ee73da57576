import type { Consumer, Message, Reply, Transport } from '@causeway/messaging';
import { eventually } from '@causeway/messaging/testing';
import { randomUUID } from 'node:crypto';
import type { KafkaSettings } from '../settings.ts';
import { trackedSockets } from '../sockets.ts';
import { kafkaTransport } from '../transport.ts';

const minuteMs = 60_000;

export const secrets = [{ id: 'spec', key: Buffer.alloc(32, 5) }] as const;

/** Short, so that the specs are. */
export const quick = {
  backoffMs: 20,
  backoffMaxMs: 100,
  startMarginMs: 200,
  sessionTimeoutMs: 1500,
  heartbeatMs: 300,
  commitEveryMs: 100,
} as const;

export type BusUnderTest = Transport & {
  /** Ends it as kill -9 would: brokers hear nothing of it any more. Handlers that run go on, as they would not. */
  cutOff(): void;
};

/** A name that no other test has used: the broker outlives it. */
export const newName = (): string => `spec-${randomUUID()}`;

export const openBus = (
  settings: Omit<KafkaSettings, 'secrets'>,
  topicNames: readonly string[],
  partitions = 3,
): BusUnderTest => {
  const sockets = trackedSockets();
  const topics = topicNames.map((name) => ({ name, partitions, retentionMs: 10 * minuteMs }));
  const bus = kafkaTransport({ ...quick, topics, secrets, ...settings }, sockets);
  return { ...bus, close: (withinMs = 2000) => bus.close(withinMs), cutOff: sockets.cutOff };
};

export const untilReady = (bus: Transport): Promise<void> => eventually(() => expect(bus.ready()).toBe(true));

export const message = (key: string, n: number, type = 'noted'): Message<{ n: number }> => ({
  id: randomUUID(),
  type,
  key,
  data: { n },
  correlationId: 'req-1',
  causationId: 'cause-1',
});

export const numberOf = ({ data }: Message): number => (data as { n: number }).n;

/** 0 to `count` - 1. */
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

export const onEvent = (group: string, topic: string, noted: (message: Message) => Promise<void>): Consumer => ({
  group,
  topics: [topic],
  events: new Map([['noted', noted]]),
  commands: new Map(),
});

export const onCommand = (group: string, topic: string, asked: (message: Message) => Promise<Reply>): Consumer => ({
  group,
  topics: [topic],
  events: new Map(),
  commands: new Map([['asked', asked]]),
});
