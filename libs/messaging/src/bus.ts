import type { Message, Reply } from './message.ts';

/**
 * The port. Every transport passes `busConformance`.
 *
 * A topic's messages reach every consumer group at least once, those of one key in order. What a handler throws is
 * tried again a bounded number of times with backoff, then set aside as a dead letter with the reason; other keys go
 * on meanwhile. One that is found unreadable is set aside at once. Messages are copied on their way: sender and receivers share nothing.
 */
export interface Bus {
  /** Resolves when the messages will reach every group: the caller may then move its checkpoint. */
  publish(topic: string, messages: readonly Message[]): Promise<void>;

  /**
   * Sends a command and waits for its reply. The command is not started when less than the margin of the time is left.
   * Throws `DeadlineExceeded` when no reply came in time: the outcome is unknown. Throws `CommandFailed` when the
   * handler threw. A command is never tried again for having failed; it is for the sender to know
   * whether it may be repeated. After a crash it may be delivered a second time, like any message: its handler knows it
   * by its id.
   */
  request<D extends object>(topic: string, message: Message, timeLeftMs: number): Promise<Reply<D>>;

  /**
   * Whether messages can be sent and answered now, as far as is known without asking. Neither `publish` nor `request`
   * needs it to be so: what is sent meanwhile waits, within its time.
   */
  ready(): boolean;

  /** Takes nothing new, lets handlers that run finish within the time. What was not started is not lost: the sender hears of it. */
  close(withinMs?: number): Promise<void>;
}

/** The receiving side, for the transport strategies: services declare their handlers to Nest. */
export interface Transport extends Bus {
  /** One consumer per group and process. Handlers of one key run one after the other. */
  consume(consumer: Consumer): Promise<void>;
}

/**
 * What a consumer group does with the messages of its topics, by message type. A type that is not here is passed over.
 * Under `setAsideOf(type)` it hears of each message of the type that it could not handle, once that is a dead letter and
 * before the next of its key; of one that is unreadable, too, and so has to read with care what it is given.
 */
export type Consumer = Readonly<{
  group: string;
  topics: readonly string[];
  events: ReadonlyMap<string, (message: Message) => Promise<void>>;
  commands: ReadonlyMap<string, (message: Message) => Promise<Reply>>;
}>;

export class DeadlineExceeded extends Error {}

/** The handler threw, or nobody handles this command. Whether it took effect is unknown. */
export class CommandFailed extends Error {}

export class BusClosed extends Error {}

/** A topic as it is declared: messages of one key are on one partition; what is older than the retention is gone. */
export type Topic = Readonly<{ name: string; partitions: number; retentionMs: number }>;
