import { problems, type CursorBinding, type Cursors } from '@causeway/http';
import type { Problem } from '@causeway/messaging';

const cursorLifetimeMs = 90 * 24 * 3600 * 1000;

export type FeedCursor = Readonly<{ ok: true; after: readonly string[] }> | Readonly<{ ok: false; problem: Problem }>;

/** A cursor of the feed holds the time it was issued, and then the key of the last change given out. */
export const sealFeedCursor = (
  cursors: Cursors,
  binding: CursorBinding,
  { issuedAtMs, key }: Readonly<{ issuedAtMs: number; key: readonly string[] }>,
): string => cursors.seal(binding, [String(issuedAtMs), ...key]);

export const openFeedCursor = (
  cursors: Cursors,
  binding: CursorBinding,
  { cursor, nowMs }: Readonly<{ cursor: string; nowMs: number }>,
): FeedCursor => {
  const [issuedAtMs, ...after] = cursors.open(binding, cursor) ?? [];
  if (issuedAtMs === undefined) return { ok: false, problem: problems.invalidCursor };
  return Number(issuedAtMs) + cursorLifetimeMs < nowMs
    ? { ok: false, problem: problems.cursorExpired }
    : { ok: true, after };
};
