import type { Decider, Decision, Rejection } from './decider.ts';
import type { Event, Metadata, NewEvent, Revision, StreamName } from './event.ts';
import type { EventStore } from './event-store.ts';
import { stateReader, type Folded, type SnapshotOptions } from './snapshots.ts';

export class StreamContended extends Error {}

/** Enough for 50 writers on one stream: each round, one of them wins. */
const attemptsMax = 64;

export type Context = Readonly<{ metadata: Metadata; dataKey?: string | null }>;

/** What was decided, and the state after it. */
export type Handled<S, E extends Event, R extends Rejection> = Decision<E, R> & Folded<S>;

type HandlerOptions<C> = Readonly<{
  streamOf: (command: C) => StreamName;
  newId: () => string;
  /** For streams that grow for years. */
  snapshots?: SnapshotOptions;
}>;

/**
 * Read, fold, decide, append at the revision read; if someone was faster, decide again on the new history.
 * Repeating a command is safe because the decider recognises what has already happened.
 * `known`: what the caller has read; it is not read again unless an append shows that it was not the newest.
 */
export const commandHandler = <S, C, E extends Event, R extends Rejection>(
  store: EventStore,
  decider: Decider<S, C, E, R>,
  { streamOf, newId, snapshots }: HandlerOptions<C>,
): ((command: C, context: Context, known?: Folded<S>) => Promise<Handled<S, E, R>>) => {
  const reader = stateReader<S, E>(store, decider, snapshots);

  return async (command, context, known) => {
    const stream = streamOf(command);
    let read = known ?? (await reader.now(stream));
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const { state, revision } = read;
      const decision = decider.decide(state, command);
      if (decision.outcome === 'rejected' || decision.events.length === 0) return { ...decision, state, revision };

      const events = decision.events.map((event): NewEvent<E> => ({ ...event, id: newId() }));
      const { metadata, dataKey = null } = context;
      const expected = revision === 'none' ? 'no-stream' : revision;
      if ((await store.append<E>({ stream, expected, events, metadata, dataKey })) === 'appended') {
        const last = ((revision === 'none' ? -1 : revision) + events.length) as Revision;
        return { ...decision, state: decision.events.reduce<S>((s, e) => decider.evolve(s, e), state), revision: last };
      }
      const newer = await reader.after(stream, read);
      // A conflict with nothing: what was read does not belong to the stream as it is. From the beginning, then.
      read = newer === read ? await reader.after(stream, reader.empty) : newer;
    }
    throw new StreamContended(`${stream}: gave up after ${attemptsMax} conflicts`);
  };
};
