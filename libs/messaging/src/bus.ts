import type { Message, Reply } from './message.ts';

/**
 * The port. Every transport passes `busConformance`.
 *
 * A topic's messages reach every consumer group at least once, those of one key in order. What a handler throws is
 * tried again a bounded number of times with backoff, then set aside as a dead letter with the reason; other keys go
 * on meanwhile.
 */
export interface Bus {
  /** Resolves when the messages will reach every group: the caller may then move its checkpoint. */
  publish(topic: string, messages: readonly Message[]): Promise<void>;

  /**
   * Sends a command and waits for its reply. The command is not started when less than the margin of the time is left.
   * Throws `DeadlineExceeded` when no reply came in time: the outcome is unknown.
   */
  request<D extends object>(topic: string, message: Message, timeLeftMs: number): Promise<Reply<D>>;

  close(): Promise<void>;
}

export class DeadlineExceeded extends Error {}
