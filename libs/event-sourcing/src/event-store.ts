import type { Event, Metadata, NewEvent, Position, Recorded, Revision, Sequenced, StreamName } from './event.ts';

export type Append<E extends Event = Event> = Readonly<{
  stream: StreamName;
  /** The revision the writer believes the stream is at. */
  expected: Revision | 'no-stream';
  events: readonly NewEvent<E>[];
  metadata: Metadata;
  /** The connection whose data key the payloads are encrypted under; null for events that hold no bank data. */
  dataKey: string | null;
}>;

export type AppendOutcome = 'appended' | 'conflict';

/**
 * `position`: the last position looked at. It moves past erased events too, so it may lie beyond the last event given.
 */
export type Batch = Readonly<{ events: readonly Sequenced[]; position: Position }>;

/**
 * The port. Every implementation passes `eventStoreConformance`. One store belongs to one service.
 *
 * What a caller may rely on, whichever the store: an append is all or nothing and at most `appendEventsMax` events; the
 * events of one append are neighbours in the total order; that order agrees with the order of every stream; nothing
 * ever appears at or before a position that `readAll` has given out; positions have no gaps but those of erased streams.
 *
 * What differs: a server may take less of one append (1 MiB where it is told nothing else), and refuses more as a fault;
 * an append may have no position before `head` was asked; where bytes leave the disk only at a scavenge, nothing reads
 * erased ones until then. A store that does not answer throws what `isOutage` knows: the append may have been stored, and
 * may be repeated with the same ids.
 */
export interface EventStore {
  /**
   * The events of a stream after `after` (all when left out), oldest first, at most `limit` of them rounded up to whole
   * appends. An empty list: no such stream, or nothing newer. Events whose data key was destroyed are left out.
   */
  readStream<E extends Event>(
    stream: StreamName,
    options?: Readonly<{ after?: Revision; limit?: number }>,
  ): Promise<readonly Recorded<E>[]>;

  /**
   * `conflict`: the stream is not at `expected`, whether behind or ahead. An append that was stored before, the same
   * ids at the same place, is `appended` again and stores nothing.
   */
  append<E extends Event>(append: Append<E>): Promise<AppendOutcome>;

  /**
   * About `limit` events after `after` in the total order, in whole appends, at least one where there is one. The events
   * of the category `except` are passed over unread: they may be large, and mean nothing to the reader. Those that do not
   * decrypt are `unreadable`, where `readStream` throws.
   */
  readAll(after: Position, limit: number, except?: string): Promise<Batch>;

  /**
   * What `readAll` gives of these streams: events of others are passed over unread, a stretch of the order at a time. So
   * a batch may be empty before the end; at the end its position is `after`.
   */
  readStreams(streams: readonly StreamName[], after: Position, limit: number): Promise<Batch>;

  /** A position at or after every append acknowledged before the call. */
  head(): Promise<Position>;

  /** Resolves when something may lie after `after`, or after a short while; never later than the signal. */
  changed(after: Position, signal: AbortSignal): Promise<void>;

  /**
   * Deletes a stream's events physically, and for good: their positions stay, as places that hold nothing, and `append`
   * to the stream throws `StreamErased`. Safe to repeat: resolves each time to the number of events that it held.
   * `ifWritten`: a stream that never was may still be written.
   */
  eraseStream(stream: StreamName, options?: Readonly<{ ifWritten?: boolean }>): Promise<number>;

  close(): Promise<void>;
}

/** What is erased stays gone: a late writer must not bring the stream back. */
export class StreamErased extends Error {}

/** Positions that one call of `readStreams` looks through. Of others' appends, only the places are read. */
export const stretchPositions = 200_000;

/** One append becomes one row and one ciphertext; a page part of a statement fits in it. */
export const appendEventsMax = 1000;
