import { within } from '@causeway/concurrency';
import { closeWithinMs, lifetime, type Bus, type Consumer, type Message, type Transport } from '@causeway/messaging';
import { brokerClock } from './broker-clock.ts';
import { kafkaClient } from './client.ts';
import { kafkaDeadLetters } from './dead-letters.ts';
import { ensureTopicsOn } from './ensure-topics.ts';
import { consumeGroup, type Group } from './group.ts';
import { handlingOf } from './handling.ts';
import { groupIdOf } from './names.ts';
import { producing } from './producing.ts';
import { recordOf } from './records.ts';
import { openReplies } from './replies.ts';
import { withDefaults, type KafkaSettings } from './settings.ts';
import { trackedSockets } from './sockets.ts';

/**
 * The bus on Apache Kafka. It need not be there to start with: consumers join when it is, what is sent meanwhile waits
 * within its time, and `ready` says how it stands. Each topic is fetched for itself: no command waits for the megabytes of
 * a statement, and no fetch names the partitions of topics where nothing happens.
 *
 * At least once: an offset is committed after its handler is done, so what a crash, or a rebalance under way, leaves
 * uncommitted is handled again, commands included; handlers know a message by its id. What has not begun when the
 * partition goes to another member, or when this one was not heard for its session, does not begin. A handler that
 * runs then is not stopped: its effect is fenced where it is written, by the revision it expects or the lease it holds.
 */
export const kafkaTransport = (given: KafkaSettings, sockets = trackedSockets()): Transport => {
  const settings = withDefaults(given);
  const life = lifetime();
  const { closing } = life;
  const kafka = kafkaClient(settings, sockets);
  const clock = brokerClock();
  const out = producing(kafka, settings, clock, closing);
  const prepared = once(async () => void (await ensureTopicsOn(kafka, settings.topics)));
  const replies = openReplies({ kafka, settings, producing: out, clock, closing, prepared });
  const deadLetters = kafkaDeadLetters(out, settings);
  const groups: Group[] = [];

  const consume = async (consumer: Consumer): Promise<void> => {
    for (const topic of consumer.topics) {
      const handle = handlingOf({ settings, life, producing: out, clock, deadLetters }, consumer);
      const groupId = groupIdOf(`${consumer.group}.${topic}`);
      groups.push(consumeGroup({ kafka, settings, groupId, topic, closing, prepared, handle }));
    }
  };
  const publish: Bus['publish'] = async (topic, messages) => {
    closing.throwIfAborted();
    await prepared();
    const records = messages.map((message) => recordOf(message));
    await out.send(topic, records);
  };
  const request = async (topic: string, message: Message, timeLeftMs: number) => {
    closing.throwIfAborted();
    return replies.request(topic, message, timeLeftMs);
  };
  const ready = (): boolean =>
    !closing.aborted && out.isConnected() && replies.isReady() && groups.every((group) => group.isCurrent());

  const close = async (withinMs = closeWithinMs): Promise<void> => {
    const leaveMs = withinMs / 3;
    await life.close(withinMs - leaveMs);
    const left = Promise.allSettled([...groups, replies].map((member) => member.leave())).then(out.disconnect);
    await within(leaveMs, left).catch(() => undefined);
    sockets.cutOff();
  };
  return { consume, publish, request: request as Bus['request'], ready, close };
};

/** Done once, by whoever comes first; tried again by the next after a failure. */
const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
};
