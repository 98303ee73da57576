import { pause } from '@causeway/concurrency';
import type { Batch, Position, Sequenced } from '@causeway/event-sourcing';
import type { Bus, Message } from '@causeway/messaging';
import { startWalk, type Run, type Walk, type WalkOptions } from './walk.ts';

export type Outgoing = Readonly<{ topic: string; message: Message }>;

export type RelayOptions = WalkOptions &
  Readonly<{
    bus: Bus;
    /** All that other services may learn of our events. One that waits holds up what comes after it. */
    publish: (event: Sequenced) => Outgoing | undefined | Promise<Outgoing | undefined>;
    /** How far the relay may go, for a service whose messages tell of what can be read. */
    upTo?: () => Promise<Position>;
  }>;

/** Between two looks at a gate that is closed. */
const gatePollMs = 20;

/**
 * The event store is the outbox: every event is published at least once, and the checkpoint moves only when its
 * message will reach every group. Messages of one topic leave in the order of their events.
 */
export const relay = (options: RelayOptions): Walk =>
  startWalk(options, async (batch, after, run) => {
    const end = await reachable(options, run, batch.position, after);
    if (end > after) {
      await passOn(options, batch, end);
      await run.commit(end);
    }
    return end;
  });

/** `after` only when the run ends before the gate has opened. */
const reachable = async ({ upTo }: RelayOptions, run: Run, wanted: Position, after: Position): Promise<Position> => {
  if (upTo === undefined) return wanted;
  while (!run.signal.aborted) {
    const gate = await upTo();
    if (gate > after) return gate < wanted ? gate : wanted;
    await pause(gatePollMs, run.signal);
  }
  return after;
};

const passOn = async ({ bus, publish }: RelayOptions, batch: Batch, end: Position): Promise<void> => {
  const byTopic = new Map<string, Message[]>();
  for (const event of batch.events) {
    const outgoing = event.position > end ? undefined : await publish(event);
    if (outgoing === undefined) continue;
    const messages = byTopic.get(outgoing.topic) ?? [];
    messages.push(outgoing.message);
    byTopic.set(outgoing.topic, messages);
  }
  await Promise.all([...byTopic].map(([topic, messages]) => bus.publish(topic, messages)));
};
