import type { Position } from '@causeway/event-sourcing';
import { alarm } from './alarm.ts';
import { coalesced } from './coalesced.ts';
import { waiters } from './waiters.ts';

/** Looks for what was appended here begin no closer than this: under load, one then serves many appends. */
const spacingMs = 4;
/** How often other processes' appends are looked for while someone waits: often after some came, else ever less. */
const pollMinMs = 5;
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
  let pollMs = pollMinMs;
  let closed = false;

  const head = coalesced(async () => {
    lookedAt = performance.now();
    const position = await sequence();
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
    if (failed || some()) looks.set(pollMs);
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

  return { wake: () => looks.set(lookedAt + spacingMs - performance.now()), head, changed, close };
};
