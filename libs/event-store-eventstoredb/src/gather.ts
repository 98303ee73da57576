import type { StreamName } from '@causeway/event-sourcing';
import type { AllStreamRecordedEvent } from '@eventstore/db-client';
import { placeholder, placeOf } from './held.ts';
import type { ServerPosition } from './position.ts';

/** A whole append as the server's order has it. `at`: where its last event stands. */
export type Gathered = Readonly<{ stream: StreamName; lastRevision: number; count: number; at: ServerPosition }>;

/** How the server tells that a stream is gone for good: in its order, as the last event of the stream. */
const tombstone = '$streamDeleted';

/**
 * Puts the appends of one service together again, from the server's order of all events. The server writes an append in
 * one piece. A beginning without an end is what a server that died left behind, and no stream holds it.
 */
export const gatherer = (prefix: string) => {
  let open: Readonly<{ streamId: string; next: number }> | undefined;

  /** The append that this event completes. */
  const take = (event: AllStreamRecordedEvent): Gathered | undefined => {
    const { streamId, type, position } = event;
    const { index, count } = placeOf(event);
    const begun = open;
    open = undefined;
    if (!streamId.startsWith(prefix) || type === tombstone || type === placeholder) return undefined;
    if (index !== 0 && (begun?.streamId !== streamId || begun.next !== index)) {
      throw new Error(`${streamId}@${event.revision} is in the middle of an append that did not begin`);
    }
    if (index < count - 1) {
      open = { streamId, next: index + 1 };
      return undefined;
    }
    const stream = streamId.slice(prefix.length) as StreamName;
    return { stream, lastRevision: Number(event.revision), count, at: position };
  };

  /** An append has begun and is not whole: nothing behind its beginning counts as passed. */
  const isOpen = (): boolean => open !== undefined;
  return { take, isOpen };
};
