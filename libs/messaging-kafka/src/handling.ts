import { atMost, inOrderByKey } from '@causeway/concurrency';
import { deliver, repliedBy, setAsideOf, UnreadableMessage, type Consumer, type Lifetime } from '@causeway/messaging';
import { isAuthentic } from './authenticity.ts';
import type { BrokerClock } from './broker-clock.ts';
import type { KafkaDeadLetters } from './dead-letters.ts';
import type { Taken } from './group.ts';
import { repliesTopic } from './names.ts';
import type { Producing } from './producing.ts';
import { received, replyRecord, type Received } from './records.ts';
import type { Answer } from './replies.ts';
import type { Settings } from './settings.ts';

export type Handling = Readonly<{
  settings: Settings;
  life: Lifetime;
  producing: Producing;
  clock: BrokerClock;
  deadLetters: KafkaDeadLetters;
}>;

type Work = Handling & Readonly<{ consumer: Consumer; limited: ReturnType<typeof atMost>; taken: Taken }>;

/**
 * What a group does with one record of its topic. Those of one key run one after the other, whichever partition they were
 * on before.
 */
export const handlingOf = (handling: Handling, consumer: Consumer): ((taken: Taken) => Promise<void>) => {
  const inOrder = inOrderByKey();
  const limited = atMost(handling.settings.handlersMax);
  const { settings } = handling;
  return async (taken) => {
    if (!isAuthentic(settings.secrets, taken.topic, taken.record)) return settings.onForged(taken.place);
    const what = received(taken.record, taken.place);
    const work = { ...handling, consumer, limited, taken };
    const isEvent = what.envelope.requestId === undefined;
    return inOrder(what.message.key, () => (isEvent ? event(work, what) : command(work, what)));
  };
};

const event = async (work: Work, { message, envelope, unreadable }: Received): Promise<void> => {
  const { consumer, limited, life, settings, taken, deadLetters } = work;
  const { letter, onlyGroup } = envelope;
  const handler = consumer.events.get(message.type);
  const isForUs = onlyGroup === undefined || onlyGroup === consumer.group;
  if (!isForUs || (handler === undefined && unreadable === undefined)) return;

  const running = (handle: typeof handler) => () =>
    limited(async () => {
      await taken.mayStart();
      await life.run(() => handle?.(message) ?? Promise.resolve());
    });
  const handle = async (): Promise<void> => {
    if (unreadable !== undefined) throw new UnreadableMessage(unreadable);
    await running(handler)();
  };
  const setAside = consumer.events.get(setAsideOf(message.type));
  const earlier = { attempts: envelope.attemptsBefore ?? 0, firstFailedAt: envelope.firstFailedAt };
  const handlers = { handle, setAside: setAside && running(setAside) };
  const delivery = { group: consumer.group, topic: taken.topic, message, ...handlers };
  const kept = await deliver(delivery, { ...settings, deadLetters: deadLetters.after(earlier) }, taken.signal);
  if (letter === undefined || kept !== 'done') return;
  // One that cannot be dropped now stays, and may be tried again: what it tells of is dealt with.
  deadLetters.drop(letter).catch((error: unknown) => {
    settings.onFault({ what: `dead letter ${letter} could not be dropped`, detail: { error } });
  });
};

/** A command is given to its handler once. Delivered again, it is the sender's time that ends it. */
const command = async (work: Work, { message, envelope }: Received): Promise<void> => {
  const { consumer, limited, life, taken } = work;
  const handler = consumer.commands.get(message.type);
  // A group without commands listens to what others are told.
  if (consumer.commands.size === 0) return;
  if (handler === undefined) return answer(work, envelope, { failed: `nobody handles ${message.type}` });
  const run = async (): Promise<Answer> => {
    await taken.mayStart();
    if (!isInTime(work, envelope)) return { notStarted: true };
    return life.run(async () => {
      try {
        return { reply: await repliedBy(handler, message) };
      } catch (error) {
        return { failed: `${(error as Error).message}: ${String((error as Error).cause)}` };
      }
    });
  };
  await answer(work, envelope, await limited(run));
};

/** Before the brokers' clock is known nothing can be said about the age of a command, so it is not started. */
const isInTime = ({ clock, settings }: Work, { timeLeftMs = 0, sentAt = 0 }: Received['envelope']): boolean => {
  const now = clock.now();
  return now !== undefined && timeLeftMs - (now - sentAt) >= settings.startMarginMs;
};

/** The effect stands whether or not the sender hears of it: it has its deadline for that. So nothing waits for this. */
const answer = async (work: Work, envelope: Received['envelope'], what: Answer): Promise<void> => {
  const { requestId, replyTo, replyPartition } = envelope;
  if (requestId === undefined || replyTo === undefined || replyPartition === undefined) return;
  const { producing, settings } = work;
  const record = replyRecord({ process: replyTo, partition: replyPartition }, requestId, JSON.stringify(what));
  producing.sendSoon(repliesTopic.name, record).catch((error: unknown) => {
    settings.onFault({ what: 'a reply could not be sent', detail: { error } });
  });
};
