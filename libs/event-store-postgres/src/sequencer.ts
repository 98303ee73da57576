import { coalesced } from '@causeway/concurrency';
import type { EventStore, Position } from '@causeway/event-sourcing';
import { alarm } from './alarm.ts';
import { waiters } from './waiters.ts';

/** Looks for what was appended here begin no closer than this: under load, one then serves many appends. */
const spacingMs = 4;
/**
 * And no closer than so many times what the last one took: where a long snapshot (a dump, say) keeps PostgreSQL from
 * cleaning the queue, a look takes some 15 ms for every 100,000 appends since, and must not take all of a processor.
 */
const restFactor = 3;
/** Others tell of their appends. This is for what nobody lived to tell of, or what was not heard. */
const pollMs = 2000;
const pollAfterFaultMs = 250;
/** Notices begin no closer than this: of a stream of appends, one tells of many. */
const noticeSpacingMs = 15;

type Sequencer = Pick<EventStore, 'head' | 'changed' | 'close'> &
  Readonly<{
    /** Something was appended here. */
    wake(): void;
  }>;

/** How processes tell each other how far the order goes. */
export type Notices = Readonly<{
  tell(head: Position): Promise<void>;
  /** `undefined`: something may have been missed. Answers how to hear no more. */
  hear(heard: (head: Position | undefined) => void): () => Promise<void>;
}>;

/** Tells of the newest head, at once or a little later. */
const startTelling = ({ tell }: Notices) => {
  let newest = 0 as Position;
  let told = { head: newest, at: -Infinity };
  const notice = alarm(async () => {
    told = { head: newest, at: performance.now() };
    await tell(newest).catch(() => undefined);
  });
  const of = (head: Position): void => {
    newest = head;
    if (newest > told.head) notice.set(told.at + noticeSpacingMs - performance.now());
  };
  return { of, stop: notice.stop };
};

/** One look at a time; when the last one began, and how long to rest from then on at least. */
const paced = (sequence: () => Promise<Position>, reached: (head: Position) => void) => {
  let lookedAt = -Infinity;
  let tookMs = 0;
  const head = coalesced(async () => {
    lookedAt = performance.now();
    const position = await sequence();
    tookMs = performance.now() - lookedAt;
    reached(position);
    return position;
  });
  const sinceMs = (): number => performance.now() - lookedAt;
  return { head, sinceMs, restMs: (leastMs: number): number => Math.max(leastMs, restFactor * tookMs) };
};

/** Calls `sequence` at once for appends of this process, and now and then for those of others while someone waits. */
export const startSequencer = (sequence: () => Promise<Position>, notices: Notices): Sequencer => {
  const waiting = waiters();
  const telling = startTelling(notices);
  const { head, sinceMs, restMs } = paced(sequence, waiting.reached);
  /** Here, and perhaps not told yet. */
  let appended = false;
  let unhear: (() => Promise<void>) | undefined;

  const looks = alarm(async () => {
    const own = appended;
    appended = false;
    try {
      const position = await head();
      if (own) telling.of(position);
      if (waiting.some()) looks.set(restMs(pollMs));
    } catch {
      // While the database is away, whoever appends or reads is told so by their own call. Looking goes on.
      appended ||= own;
      looks.set(pollAfterFaultMs);
    }
  });

  const changed = async (after: Position, signal: AbortSignal): Promise<void> => {
    if (waiting.known() > after || signal.aborted) return;
    unhear ??= notices.hear((position) => (position === undefined ? looks.set(0) : waiting.reached(position)));
    looks.set(pollMs);
    await waiting.wait(after, signal);
  };

  const close = async (): Promise<void> => {
    waiting.close();
    await looks.stop();
    await Promise.all([telling.stop(), unhear?.()]);
  };

  return {
    wake: () => {
      appended = true;
      looks.set(restMs(spacingMs) - sinceMs());
    },
    ...{ head, changed, close },
  };
};
