import { pause } from '@causeway/concurrency';
import { BusClosed } from '@causeway/messaging';
import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import { joinGroup, type Assignment, type Membership, type MembershipOptions } from './membership.ts';
import { partitionWindow, type PartitionWindow } from './partition-window.ts';
import { sizeOf } from './records.ts';

/** A partition while it is ours. */
type Assigned = {
  readonly topic: string;
  readonly partition: number;
  readonly window: PartitionWindow;
  readonly revocation: AbortController;
  /** Aborted by the revocation, and when the bus closes. */
  readonly signal: AbortSignal;
  committed: bigint | undefined;
  isPaused: boolean;
};

export type Taken = Readonly<{
  topic: string;
  /** `topic/partition/offset`. */
  place: string;
  record: KafkaMessage;
  /** Aborted when the partition is not ours any more, or the bus closes: what has not begun may not begin. */
  signal: AbortSignal;
  /** Resolves when a handler may begin; rejects when it may not any more. */
  mayStart(): Promise<void>;
}>;

export type GroupOptions = Omit<MembershipOptions, 'onBatch' | 'onJoin' | 'onRebalancing' | 'fromBeginning'> &
  Readonly<{
    /** Resolves when the record has been dealt with; rejects when it has not, and must be delivered again. */
    handle(taken: Taken): Promise<void>;
  }>;

export type Group = Pick<Membership, 'isCurrent' | 'leave'>;

type State = { readonly options: GroupOptions; readonly assigned: Map<string, Assigned>; memberId: string | undefined };

/**
 * Fetches ahead of the handlers, within bounds, so that a key that waits holds up no other, and so that no handler, however
 * slow, stands between two heartbeats. Offsets are committed beside the work and never beyond what is done. A partition
 * that comes back to the same member goes on where it was.
 */
export const consumeGroup = (options: GroupOptions): Group => {
  const { settings, closing } = options;
  const state: State = { options, assigned: new Map(), memberId: undefined };
  const commit = () => commitDone(options, membership, [...state.assigned.values()]);
  const membership = joinGroup({
    ...options,
    fromBeginning: true,
    onBatch: async (batch) => takeBatch(state, membership, batch),
    onJoin: (memberId, assignment) => takeOver(state, membership, memberId, assignment),
    onRebalancing: () => void commit(),
  });
  void commitOnInterval(settings.commitEveryMs, closing, async () => (membership.isCurrent() ? commit() : undefined));

  /** What is done is committed, then the group is told. */
  const leave = async (): Promise<void> => {
    await commit();
    await membership.leave();
  };
  return { isCurrent: membership.isCurrent, leave };
};

const takeOver = (state: State, membership: Membership, memberId: string, assignment: Assignment): void => {
  const ours = Object.entries(assignment).flatMap(([topic, partitions]) =>
    partitions.map((partition) => ({ name: nameOf(topic, partition), topic, partition })),
  );
  const kept = new Set(memberId === state.memberId ? ours.map(({ name }) => name) : []);
  for (const [name, { revocation }] of state.assigned) {
    if (kept.has(name)) continue;
    revocation.abort(new BusClosed(`${name} was given to another member`));
    state.assigned.delete(name);
  }
  state.memberId = memberId;
  for (const { name, topic, partition } of ours) {
    if (state.assigned.has(name)) continue;
    state.assigned.set(name, newlyAssigned(topic, partition, state.options.closing));
    membership.consumer.resume([{ topic, partitions: [partition] }]);
  }
};

const takeBatch = ({ options, assigned }: State, membership: Membership, { batch }: EachBatchPayload): void => {
  const { topic, partition, messages } = batch;
  const held = assigned.get(nameOf(topic, partition));
  if (held === undefined || options.closing.aborted) return;
  for (const record of messages) take(options, membership, held, record);
  if (held.isPaused || !held.window.isFull()) return;
  held.isPaused = true;
  membership.consumer.pause([{ topic, partitions: [partition] }]);
};

const take = (options: GroupOptions, membership: Membership, held: Assigned, record: KafkaMessage): void => {
  const { settings, handle } = options;
  const offset = BigInt(record.offset);
  if (!held.window.take(offset, sizeOf(record))) return;
  const { signal } = held;
  const place = `${nameOf(held.topic, held.partition)}/${record.offset}`;
  const mayStart = () => membership.current(signal);
  handle({ topic: held.topic, place, record, signal, mayStart }).then(
    () => {
      held.window.done(offset);
      resumeIfRoom(membership, held);
    },
    (error: unknown) => {
      // Left undone on purpose: whoever has the partition next is sent it again.
      if (!signal.aborted) settings.onFault({ what: `${place} was not dealt with`, detail: { error } });
    },
  );
};

const nameOf = (topic: string, partition: number): string => `${topic}/${partition}`;

const newlyAssigned = (topic: string, partition: number, closing: AbortSignal): Assigned => {
  const revocation = new AbortController();
  const signal = AbortSignal.any([revocation.signal, closing]);
  return { topic, partition, window: partitionWindow(), revocation, signal, committed: undefined, isPaused: false };
};

const resumeIfRoom = ({ consumer }: Membership, held: Assigned): void => {
  if (!held.isPaused || held.revocation.signal.aborted || !held.window.hasRoom()) return;
  held.isPaused = false;
  try {
    consumer.resume([{ topic: held.topic, partitions: [held.partition] }]);
  } catch {
    // The client is between two starts: it joins anew, and `onJoin` resumes what it is given.
  }
};

/** A commit that does not get through is no loss: the next one says as much, or the messages come again. */
const commitDone = async ({ settings }: GroupOptions, { consumer }: Membership, all: Assigned[]): Promise<void> => {
  const due = all.flatMap((held) => {
    const position = held.window.position();
    return position === undefined || position === held.committed ? [] : [{ held, position }];
  });
  if (due.length === 0) return;
  const offsets = due.map(({ held: { topic, partition }, position }) => ({ topic, partition, offset: `${position}` }));
  try {
    await consumer.commitOffsets(offsets);
    for (const { held, position } of due) held.committed = position;
  } catch (error) {
    settings.onFault({ what: 'offsets were not committed', detail: { error } });
  }
};

const commitOnInterval = async (everyMs: number, closing: AbortSignal, commit: () => Promise<void>): Promise<void> => {
  while (!closing.aborted) {
    await pause(everyMs, closing);
    if (!closing.aborted) await commit();
  }
};
