import { BusClosed, CommandFailed, DeadlineExceeded, inTime, type Message, type Reply } from '@causeway/messaging';
import type { EachBatchPayload, Kafka } from 'kafkajs';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAuthentic } from './authenticity.ts';
import type { BrokerClock } from './broker-clock.ts';
import { joinGroup, type Assignment } from './membership.ts';
import { groupIdOf, repliesTopic } from './names.ts';
import { onePartition } from './one-partition.ts';
import type { Producing } from './producing.ts';
import { header, recordOf, replyRecord, type Address } from './records.ts';
import type { Settings } from './settings.ts';

/** What became of a command: its reply, or why there is none. */
export type Answer =
  | Readonly<{ reply: Reply }>
  | Readonly<{ failed: string }>
  /** Too little time was left. */
  | Readonly<{ notStarted: true }>;

export type Replies = Readonly<{
  isReady(): boolean;
  request(topic: string, message: Message, timeLeftMs: number): Promise<Reply>;
  leave(): Promise<void>;
}>;

type Parts = Readonly<{
  kafka: Kafka;
  settings: Settings;
  producing: Producing;
  clock: BrokerClock;
  closing: AbortSignal;
  prepared: () => Promise<void>;
}>;

type Pending = Readonly<{ resolve: (reply: Reply) => void; reject: (error: Error) => void; type: string }>;

const pingEveryMs = 100;
const pingId = 'ping';
const nobody = 'nobody';

/**
 * The asking side of commands. Each process that asks is a group of its own and reads one partition of the replies from
 * when it began; those of others it passes over. It commits nothing: when it has to join again it goes on where it was.
 * It is ready once a message to itself has come back, which also gives the first measure of the brokers' clock.
 */
export const openReplies = (parts: Parts): Replies => {
  const { closing, settings } = parts;
  if (!settings.asks) return noReplies(parts);
  const asker: Asker = { ...parts, process: randomUUID(), pending: new Map(), partition: undefined };
  const { membership, heardItself } = listen(asker);
  let isReady = false;
  const becomeReady = async (): Promise<void> => {
    while (!closing.aborted && !isReady) {
      if (membership.isCurrent()) await pinged(asker, addressOf(asker)).catch(() => undefined);
      isReady = await Promise.race([heardItself.then(() => true), sleep(pingEveryMs, false)]);
    }
  };
  const ready = becomeReady();
  closing.addEventListener('abort', () => rejectAll(asker.pending), { once: true });

  const request = async (topic: string, message: Message, timeLeftMs: number): Promise<Reply> => {
    const requestId = randomUUID();
    const deadlineMs = performance.now() + timeLeftMs;
    const reply = expectReply(asker, requestId, message.type, timeLeftMs);
    // A send that failed may have arrived all the same: the deadline decides, and the caller then knows that it cannot know.
    ready
      .then(() => ask(asker, { topic, message, requestId, deadlineMs }))
      .catch((error: unknown) => settings.onFault({ what: `${message.type} could not be sent`, detail: { error } }));
    return reply;
  };
  return { isReady: () => isReady && membership.isCurrent(), request, leave: membership.leave };
};

/**
 * Of a process that only answers. Every reply would wake it for nothing, so it does not listen; it needs the clock all the
 * same, to tell which commands are too old to start.
 */
const noReplies = (parts: Parts): Replies => {
  const { clock, closing, prepared } = parts;
  const isReady = (): boolean => clock.now() !== undefined;
  const ping = (): Promise<void> => pinged(parts, { process: nobody, partition: 0 });
  const becomeReady = async (): Promise<void> => {
    while (!closing.aborted && !isReady()) {
      const tried = prepared().then(ping);
      await tried.catch(() => undefined);
      if (!isReady()) await sleep(pingEveryMs);
    }
  };
  void becomeReady();
  const request = (): Promise<Reply> => Promise.reject(new Error('this process was opened without asking anything'));
  return { isReady, request, leave: async () => undefined };
};

/** `process`: whom replies are to. `partition`: where it listens, once it has joined. */
type Asker = Parts & Readonly<{ process: string; pending: Map<string, Pending> }> & { partition: number | undefined };

const addressOf = ({ process, partition = 0 }: Asker): Address => ({ process, partition });

/** The same at every join while there are as many, so that what is under way is answered where it was asked for. */
const chosenBy =
  (process: string) =>
  (partitions: readonly number[]): number =>
    partitions[Number.parseInt(process.slice(0, 8), 16) % partitions.length] ?? 0;

const listen = (asker: Asker) => {
  const { process, pending, settings } = asker;
  const { name: topic } = repliesTopic;
  const positions = new Map<number, bigint>();
  let hear: () => void = () => undefined;
  const heardItself = new Promise<void>((resolve) => (hear = resolve));
  const onBatch = async ({ batch: { partition, messages } }: EachBatchPayload): Promise<void> => {
    for (const record of messages) {
      const { headers, value, offset } = record;
      positions.set(partition, BigInt(offset) + 1n);
      if (header(headers, 'reply-to') !== process) continue;
      if (!isAuthentic(settings.secrets, topic, record)) {
        settings.onForged(`${topic}/${partition}/${offset}`);
        continue;
      }
      const requestId = header(headers, 'request-id') ?? '';
      if (requestId === pingId) hear();
      else settle(pending, requestId, String(value));
    }
  };
  const onJoin = (_member: string, assignment: Assignment): void => {
    asker.partition = assignment[topic]?.[0];
    for (const [partition, offset] of positions) {
      membership.consumer.seek({ topic, partition, offset: `${offset}` });
    }
  };
  const membership = joinGroup({
    ...asker,
    groupId: groupIdOf(`replies-${process}`),
    topic,
    fromBeginning: false,
    assigner: onePartition(chosenBy(process)),
    onBatch,
    onJoin,
    onRebalancing: () => undefined,
  });
  return { membership, heardItself };
};

const expectReply = ({ pending }: Asker, requestId: string, type: string, timeLeftMs: number): Promise<Reply> => {
  const reply = new Promise<Reply>((resolve, reject) => pending.set(requestId, { resolve, reject, type }));
  return inTime(reply, timeLeftMs, type).finally(() => pending.delete(requestId));
};

type Asked = Readonly<{ topic: string; message: Message; requestId: string; deadlineMs: number }>;

/** Not sent when the receiver would not start it anyway. */
const ask = async (asker: Asker, { topic, message, requestId, deadlineMs }: Asked): Promise<void> => {
  const { clock, settings, producing } = asker;
  const { process: replyTo, partition: replyPartition } = addressOf(asker);
  const timeLeftMs = Math.floor(deadlineMs - performance.now());
  const sentAt = clock.now();
  if (sentAt === undefined || timeLeftMs < settings.startMarginMs) return;
  const envelope = { requestId, replyTo, replyPartition, timeLeftMs, sentAt: Math.round(sentAt) };
  await producing.sendSoon(topic, recordOf(message, envelope));
};

const pinged = ({ producing }: Parts, address: Address): Promise<void> =>
  producing.sendSoon(repliesTopic.name, replyRecord(address, pingId, '{}'));

const settle = (pending: ReadonlyMap<string, Pending>, requestId: string, text: string): void => {
  const asked = pending.get(requestId);
  if (asked === undefined) return;
  const answer = parsed(text);
  if ('reply' in answer) asked.resolve(answer.reply);
  else if ('failed' in answer) asked.reject(new CommandFailed(answer.failed));
  else asked.reject(new DeadlineExceeded(`${asked.type} was not started: too little time was left`));
};

/** What cannot be read is the end of its own request, and of no other. */
const parsed = (text: string): Answer => {
  try {
    return JSON.parse(text) as Answer;
  } catch (error) {
    return { failed: `the reply could not be read: ${(error as Error).message}` };
  }
};

const rejectAll = (pending: ReadonlyMap<string, Pending>): void => {
  for (const { reject, type } of pending.values()) reject(new BusClosed(`closed before a reply to ${type} came`));
};
