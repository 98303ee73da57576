import { pause } from '@causeway/concurrency';
import type { Consumer as KafkaConsumer, EachBatchPayload, Kafka, PartitionAssigner } from 'kafkajs';
import type { Settings } from './settings.ts';

export type Membership = Readonly<{
  consumer: KafkaConsumer;
  /** In the group, and heard by it within its session: what was assigned is still ours. */
  isCurrent(): boolean;
  /** Resolves when membership is current, at once if it is; rejects when the signal is aborted. */
  current(signal: AbortSignal): Promise<void>;
  leave(): Promise<void>;
}>;

/** Partitions by topic. */
export type Assignment = Readonly<Record<string, readonly number[]>>;

export type MembershipOptions = Readonly<{
  kafka: Kafka;
  settings: Settings;
  groupId: string;
  topic: string;
  /** Where to begin a partition that the group has committed nothing of. */
  fromBeginning: boolean;
  /** Shared out evenly when left out. */
  assigner?: PartitionAssigner;
  closing: AbortSignal;
  /** Resolves when the topics are there. */
  prepared: () => Promise<void>;
  onBatch(batch: EachBatchPayload): Promise<void>;
  /** Before anything of the new assignment is fetched. A new member id: others may have had the partitions meanwhile. */
  onJoin(memberId: string, assignment: Assignment): void;
  /** The group is about to share out its partitions anew: the last moment to commit. */
  onRebalancing(): void;
}>;

const restartPauseMs = 500;
const lookEveryMs = 100;

const kafkaConsumer = ({ kafka, settings, groupId, assigner }: MembershipOptions): KafkaConsumer =>
  kafka.consumer({
    groupId,
    allowAutoTopicCreation: false,
    ...(assigner && { partitionAssigners: [assigner] }),
    sessionTimeout: settings.sessionTimeoutMs,
    rebalanceTimeout: settings.sessionTimeoutMs,
    heartbeatInterval: settings.heartbeatMs,
    maxWaitTimeInMs: settings.fetchWaitMs,
    // After any failure it is started again here.
    retry: { restartOnFailure: async () => false },
  });

/** One member of a consumer group, which comes back for as long as the bus is open, whatever happens to the brokers. */
export const joinGroup = (options: MembershipOptions): Membership => {
  const consumer = kafkaConsumer(options);
  const session = sessionOf(options.settings);
  const { GROUP_JOIN, HEARTBEAT, REBALANCING, STOP } = consumer.events;
  consumer.on(GROUP_JOIN, ({ payload: { memberId, memberAssignment } }) => {
    options.onJoin(memberId, memberAssignment);
    session.heard();
  });
  consumer.on(HEARTBEAT, session.heard);
  consumer.on(REBALANCING, () => {
    session.lost();
    options.onRebalancing();
  });
  consumer.on(STOP, session.lost);
  void stayJoined(options, consumer, session);
  return { consumer, isCurrent: session.isCurrent, current: session.current, leave: () => consumer.disconnect() };
};

/**
 * A client whose attempt to join again is turned away with a passing error goes on fetching as no member of anything, and
 * says nothing of it. So one that has not been heard for two sessions, in which it would have joined, is started anew.
 */
const stayJoined = async (options: MembershipOptions, consumer: KafkaConsumer, session: Session): Promise<void> => {
  const { closing, settings, groupId } = options;
  const silenceMaxMs = 2 * settings.sessionTimeoutMs;
  let crashes = 0;
  consumer.on(consumer.events.CRASH, () => {
    crashes += 1;
    session.lost();
  });
  while (!closing.aborted) {
    const crashesBefore = crashes;
    await start(options, consumer);
    const startedMs = performance.now();
    const isSilent = (): boolean => performance.now() - Math.max(startedMs, session.heardAt()) > silenceMaxMs;
    while (!closing.aborted && crashes === crashesBefore && !isSilent()) await pause(lookEveryMs, closing);
    if (closing.aborted || crashes > crashesBefore) continue;
    settings.onFault({ what: `${groupId} was not heard for too long and joins anew`, detail: {} });
    await Promise.race([consumer.disconnect().catch(() => undefined), pause(settings.sessionTimeoutMs, closing)]);
  }
};

const start = async (options: MembershipOptions, consumer: KafkaConsumer): Promise<void> => {
  const { groupId, closing, settings, topic, fromBeginning, onBatch, prepared } = options;
  while (!closing.aborted) {
    try {
      await prepared();
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning });
      return await consumer.run({ autoCommit: false, eachBatch: onBatch });
    } catch (error) {
      settings.onFault({ what: `${groupId} cannot consume yet`, detail: { error } });
      await pause(restartPauseMs, closing);
    }
  }
};

/**
 * A member that was stopped, or cut off, is not told that its partitions have gone to another: it finds out by the time
 * since it was last heard. The last heartbeat counts from when it was answered, hence the interval off the session.
 */
const sessionOf = ({ sessionTimeoutMs, heartbeatMs }: Settings) => {
  let heardMs = Number.NEGATIVE_INFINITY;
  let isMember = false;
  let wake: () => void = () => undefined;
  let next = new Promise<void>((resolve) => (wake = resolve));

  const isCurrent = (): boolean => isMember && performance.now() - heardMs < sessionTimeoutMs - heartbeatMs;
  const heard = (): void => {
    heardMs = performance.now();
    isMember = true;
    const woken = wake;
    next = new Promise<void>((resolve) => (wake = resolve));
    woken();
  };
  const lost = (): void => {
    isMember = false;
  };

  const current = async (signal: AbortSignal): Promise<void> => {
    while (!isCurrent()) await unlessAborted(next, signal);
    signal.throwIfAborted();
  };
  return { isCurrent, heard, lost, current, heardAt: () => heardMs };
};

type Session = ReturnType<typeof sessionOf>;

const unlessAborted = async (work: Promise<void>, signal: AbortSignal): Promise<void> => {
  signal.throwIfAborted();
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
};
