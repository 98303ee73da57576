import type { Decider, Decision, Rejection } from './decider.ts';
import type { Event, Metadata, NewEvent, StreamName } from './event.ts';
import type { EventStore } from './event-store.ts';

export class StreamContended extends Error {}

/** Enough for 50 writers on one stream: each round, one of them wins. */
const attemptsMax = 64;

export type Context = Readonly<{ metadata: Metadata; dataKey?: string | null }>;

/** What was decided, and the state after it. */
export type Handled<S, E extends Event, R extends Rejection> = Decision<E, R> & Readonly<{ state: S }>;

/**
 * Read, fold, decide, append at the revision read; if someone was faster, decide again on the new history.
 * Repeating a command is safe because the decider recognises what has already happened.
 */
export const commandHandler =
  <S, C, E extends Event, R extends Rejection>(
    store: EventStore,
    decider: Decider<S, C, E, R>,
    options: Readonly<{ streamOf: (command: C) => StreamName; newId: () => string }>,
  ) =>
  async (command: C, context: Context): Promise<Handled<S, E, R>> => {
    const stream = options.streamOf(command);
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const history = await store.readStream<E>(stream);
      const state = history.reduce<S>((folded, event) => decider.evolve(folded, event), decider.initial);
      const decision = decider.decide(state, command);
      if (decision.outcome === 'rejected' || decision.events.length === 0) return { ...decision, state };

      const events = decision.events.map((event): NewEvent<E> => ({ ...event, id: options.newId() }));
      const { metadata, dataKey = null } = context;
      const expected = history.at(-1)?.revision ?? 'no-stream';
      if ((await store.append<E>({ stream, expected, events, metadata, dataKey })) === 'appended') {
        return { ...decision, state: decision.events.reduce<S>((s, e) => decider.evolve(s, e), state) };
      }
    }
    throw new StreamContended(`${stream}: gave up after ${attemptsMax} conflicts`);
  };
