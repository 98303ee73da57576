import type { Position } from '@causeway/event-sourcing';
import { alarm } from './alarm.ts';
import { coalesced } from './coalesced.ts';
import { waiters } from './waiters.ts';

/** Looks for what was appended here begin no closer than this: under load, one then serves many appends. */
const spacingMs = 4;
/**
 * And no closer than so many times what the last one took: where a long snapshot (a dump, say) keeps PostgreSQL from
 * cleaning the queue, a look takes some 15 ms for every 100,000 appends since, and must not take all of a processor.
 */
const restFactor = 3;
/** How often other processes' appends are looked for while someone waits: often after some came, else ever less. */
const pollMinMs = 20;
const pollMaxMs = 50;

export type Sequencer = Readonly<{
  /** Something was appended here. */
  wake(): void;
  head(): Promise<Position>;
  changed(after: Position, signal: AbortSignal): Promise<void>;
  /** Resolves when nothing is under way any more. */
  close(): Promise<void>;
}>;

/** Calls `sequence` at once for appends of this process, and now and then for those of others while someone waits. */
export const startSequencer = (sequence: () => Promise<Position>): Sequencer => {
  const { some, wait, release } = waiters();
  let known = 0 as Position;
  let lookedAt = -Infinity;
  let tookMs = 0;
  let pollMs = pollMinMs;
  let closed = false;

  const head = coalesced(async () => {
    lookedAt = performance.now();
    const position = await sequence();
    tookMs = performance.now() - lookedAt;
    pollMs = position > known ? pollMinMs : Math.min(pollMs * 2, pollMaxMs);
    if (position > known) known = position;
    release(known);
    return position;
  });

  const looks = alarm(async () => {
    // While the database is away, whoever appends or reads is told so by their own call. Looking goes on.
    const failed = await head().then(
      () => false,
      () => true,
    );
    if (failed) pollMs = pollMaxMs;
    if (failed || some()) looks.set(Math.max(pollMs, restFactor * tookMs));
  });

  const changed = async (after: Position, signal: AbortSignal): Promise<void> => {
    if (known > after || signal.aborted || closed) return;
    looks.set(pollMs);
    await wait(after, signal);
  };

  const close = async (): Promise<void> => {
    closed = true;
    release(Infinity as Position);
    await looks.stop();
  };

  const wake = (): void => looks.set(lookedAt + Math.max(spacingMs, restFactor * tookMs) - performance.now());

  return { wake, head, changed, close };
};
