import type { Event, Revision, StreamName } from './event.ts';
import type { EventStore } from './event-store.ts';

/** A state and the revision it stands at; `none`: the stream has no events. */
export type Folded<S> = Readonly<{ state: S; revision: Revision | 'none' }>;

/**
 * States kept aside so that a command does not fold its stream's whole history. A cache: what is missing, old or of
 * another fold costs time and nothing else, and so does a fault of it. States must be plain JSON. Where a store is brought
 * back to an earlier moment, it must be emptied.
 */
export interface Snapshots {
  load(stream: StreamName, foldVersion: number): Promise<Folded<unknown> | undefined>;
  /** Never replaces a state of the same fold by an older one. */
  save(stream: StreamName, foldVersion: number, folded: Folded<unknown>): Promise<void>;
  /** For a stream whose subject was deleted. */
  drop(stream: StreamName): Promise<void>;
}

/** `foldVersion`: to be raised whenever `evolve` or the state changes; states of other versions are not used. */
export type SnapshotOptions = Readonly<{ cache: Snapshots; foldVersion: number }>;

type Fold<S, E> = Readonly<{ initial: S; evolve(state: S, event: E): S }>;

/** Events read before the state is kept again: what a command reads at most, or so. */
const unkeptEventsMax = 25;

export const stateReader = <S, E extends Event>(
  store: Pick<EventStore, 'readStream'>,
  fold: Fold<S, E>,
  snapshots?: SnapshotOptions,
) => {
  const empty: Folded<S> = { state: fold.initial, revision: 'none' };

  /** The state now, from one that was read before on. */
  const after = async (stream: StreamName, known: Folded<S>): Promise<Folded<S>> => {
    const { revision } = known;
    const events = await store.readStream<E>(stream, revision === 'none' ? {} : { after: revision });
    const last = events.at(-1);
    if (last === undefined) return known;
    const folded = {
      state: events.reduce<S>((s, event) => fold.evolve(s, event), known.state),
      revision: last.revision,
    };
    if (events.length >= unkeptEventsMax) {
      await snapshots?.cache.save(stream, snapshots.foldVersion, folded).catch(() => undefined);
    }
    return folded;
  };

  /** The state now, from the newest snapshot on. */
  const now = async (stream: StreamName): Promise<Folded<S>> => {
    const kept = await snapshots?.cache.load(stream, snapshots.foldVersion).catch(() => undefined);
    return after(stream, (kept as Folded<S> | undefined) ?? empty);
  };

  return { now, after, empty };
};
