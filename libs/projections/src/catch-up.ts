import type { Batch, EventStore, Position } from '@causeway/event-sourcing';
import { batchEvents, type Pace } from './pace.ts';
import { writeBatch, type Target } from './write-batch.ts';

type Walk = Readonly<{
  signal: AbortSignal;
  /** Where to stop, when not at the end. */
  until?: Position;
  /** Hears of each commit. */
  moved?: (position: Position) => void;
  /** Waited for after a batch that reached the end. Whoever gives it hears by himself of what comes then. */
  rest?: (batch: Batch) => Promise<void>;
  /** How fast to go where there is no end in sight. */
  pace?: Pace;
}>;

/** The part of a batch that lies at or before a position. */
export const upTo = ({ events, position }: Batch, until: Position | undefined): Batch =>
  until === undefined || position <= until
    ? { events, position }
    : { events: events.filter((event) => event.position <= until), position: until };

type Ahead = Readonly<{ batch: Promise<Batch>; limit: number }>;

const ahead = (store: EventStore, after: Position, pace: Pace | undefined): Ahead => {
  const limit = pace?.limit() ?? batchEvents;
  const batch = store.readAll(after, limit);
  // What it throws is thrown to whoever awaits it; this one only says that someone will.
  batch.catch(() => undefined);
  return { batch, limit };
};

/** Projects what lies after `from`, up to the end there is now. Answers where it stopped. */
export const catchUp = async (target: Target, from: Position, walk: Walk): Promise<Position> => {
  const { signal, until, moved, rest, pace } = walk;
  let position = from;
  let reading = ahead(target.store, position, pace);
  while (!signal.aborted && position !== until) {
    const began = performance.now();
    const batch = upTo(await reading.batch, until);
    if (batch.position === position) break;
    const events = batch.position - position;
    const isFull = events >= reading.limit;
    if (isFull) reading = ahead(target.store, batch.position, pace);
    await writeBatch(target, position, batch);
    position = batch.position;
    moved?.(position);
    await pace?.rest(batch.events.length, performance.now() - began, signal);
    if (isFull) continue;
    if (rest !== undefined) {
      await rest(batch);
      return position;
    }
    reading = ahead(target.store, position, pace);
  }
  return position;
};
