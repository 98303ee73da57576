import { setTimeout as sleep } from 'node:timers/promises';
import { BusClosed } from './bus.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { Message } from './message.ts';

export type DeliverySettings = Readonly<{
  deadLetters: DeadLetters;
  /** Tries of one message before it is set aside. */
  attemptsMax: number;
  /** The pause before the second try; doubles from try to try. */
  backoffMs: number;
  backoffMaxMs: number;
  /** Whether what a handler threw says that something it needs is away. */
  isOutage(error: unknown): boolean;
  /** A message that none of ours made, or that was altered or sent elsewhere since, was passed over. `place`: begins with topic/. */
  onForged(place: string): void;
}>;

/**
 * What a handler throws about a message that cannot come from whom it says. It is passed over: a dead letter would hold
 * its key up for as long as it is tried, and be no truer when it is retried.
 */
export class ForgedMessage extends Error {}

/** What a transport heeds beside, that handles messages of several keys and commands. */
export type HandlingSettings = DeliverySettings &
  Readonly<{
    /** A command with less than this left is not started: its reply would come too late to be told. */
    startMarginMs: number;
    /** Handlers of one group and topic that run at once. A message that waits for its next try does not count. */
    handlersMax: number;
  }>;

export const handlingDefaults = {
  attemptsMax: 5,
  backoffMs: 50,
  backoffMaxMs: 2000,
  startMarginMs: 2000,
  handlersMax: 64,
  onForged: (_place: string): void => undefined,
};

/**
 * What a handler throws about a message that is not what its type says. It would be no other the next time: it is set
 * aside at once. Thrown by whoever is told of that, it says that what the message was about cannot be read either.
 */
export class UnreadableMessage extends Error {}

export type Delivery = Readonly<{
  group: string;
  topic: string;
  message: Message;
  handle: () => Promise<void>;
  /** What the group does when the message has been set aside; it does so, too, before the next of the key. */
  setAside?: (() => Promise<void>) | undefined;
}>;

/** The type under which a consumer handles that a message of type `type` was set aside. It is given that message. */
export const setAsideOf = (type: string): string => `${type} set aside`;

/**
 * Tries until it is done, set aside, found unreadable or forged. While what it needs is away nothing is wrong with the message, so
 * those tries do not count: set aside, it would be missing once that is back. Rejects only because the bus closes: the
 * message has then not been dealt with.
 */
export const deliver = async (
  delivery: Delivery,
  settings: DeliverySettings,
  closing: AbortSignal,
): Promise<'done' | 'set aside'> => {
  const { handle, setAside, ...what } = delivery;
  let firstFailedAt: string | undefined;
  let failures = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      await handle();
      return 'done';
    } catch (error) {
      if (closing.aborted) throw new BusClosed('closed while the message was being handled', { cause: error });
      if (error instanceof ForgedMessage) {
        settings.onForged(`${what.topic}/${what.message.type}/${what.message.id}`);
        return 'done';
      }
      const lastFailedAt = new Date().toISOString();
      firstFailedAt ??= lastFailedAt;
      if (!settings.isOutage(error)) failures++;
      if (error instanceof UnreadableMessage || failures === settings.attemptsMax) {
        const letter = { ...what, reason: String(error), attempts: attempt, firstFailedAt, lastFailedAt };
        // A letter that cannot be kept, or told of, must not let the next message of its key pass.
        await insist(() => settings.deadLetters.add(letter), settings, closing);
        if (setAside !== undefined) await insist(() => setAside().catch(unlessUntold), settings, closing);
        return 'set aside';
      }
    }
    await pause(settings, attempt, closing);
  }
};

/** There is nobody to be told of it, now or later. */
const unlessUntold = (error: unknown): void => {
  if (!(error instanceof UnreadableMessage || error instanceof ForgedMessage)) throw error;
};

/** Does not give up. */
const insist = async (work: () => Promise<void>, settings: DeliverySettings, closing: AbortSignal): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (cause) {
      if (closing.aborted) throw new BusClosed('closed before a dead letter was kept and told of', { cause });
    }
    await pause(settings, attempt, closing);
  }
};

const pause = async (settings: DeliverySettings, attempt: number, closing: AbortSignal): Promise<void> => {
  const { backoffMs, backoffMaxMs } = settings;
  try {
    await sleep(Math.min(backoffMs * 2 ** (attempt - 1), backoffMaxMs), undefined, { signal: closing });
  } catch (cause) {
    throw new BusClosed('closed before the next try', { cause });
  }
};
