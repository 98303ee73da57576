import type { Batch, EventStore, Position } from '@causeway/event-sourcing';
import { writeBatch, type Target } from './write-batch.ts';

/**
 * Events read at once. Larger batches bring no more speed; their rows, some megabytes, are in memory twice: while one
 * full batch is written, the next is read and decrypted.
 */
export const batchEvents = 4000;

type Walk = Readonly<{
  signal: AbortSignal;
  /** Where to stop, when not at the end. */
  until?: Position;
  limit?: number;
  /** Hears of each commit. */
  moved?: (position: Position) => void;
  /** Waited for after a batch that reached the end, before it is looked whether there is more. */
  rest?: (batch: Batch) => Promise<void>;
}>;

/** The part of a batch that lies at or before a position. */
export const upTo = ({ events, position }: Batch, until: Position | undefined): Batch =>
  until === undefined || position <= until
    ? { events, position }
    : { events: events.filter((event) => event.position <= until), position: until };

const ahead = (store: EventStore, after: Position, limit: number): Promise<Batch> => {
  const reading = store.readAll(after, limit);
  // What it throws is thrown to whoever awaits it; this one only says that someone will.
  reading.catch(() => undefined);
  return reading;
};

/** Projects what lies after `from`, up to the end there is now. Answers where it stopped. */
export const catchUp = async (target: Target, from: Position, walk: Walk): Promise<Position> => {
  const { signal, until, limit = batchEvents, moved, rest } = walk;
  let position = from;
  let reading = ahead(target.store, position, limit);
  while (!signal.aborted && position !== until) {
    const batch = upTo(await reading, until);
    if (batch.position === position) break;
    const isFull = batch.position - position >= limit;
    if (isFull) reading = ahead(target.store, batch.position, limit);
    await writeBatch(target, position, batch);
    position = batch.position;
    moved?.(position);
    if (isFull) continue;
    await rest?.(batch);
    reading = ahead(target.store, position, limit);
  }
  return position;
};
