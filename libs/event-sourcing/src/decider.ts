import type { Event } from './event.ts';

/** Why the rules say no. `code` is stable; the edge turns it into a status by table. */
export type Rejection = Readonly<{ code: string }>;

export type Decision<E extends Event, R extends Rejection> =
  Readonly<{ outcome: 'accepted'; events: readonly E[] }> | Readonly<{ outcome: 'rejected'; rejection: R }>;

/** The whole of an aggregate's rules: pure, no clock, no randomness. `evolve` never refuses: it happened. */
export type Decider<S, C, E extends Event, R extends Rejection> = Readonly<{
  initial: S;
  decide(state: S, command: C): Decision<E, R>;
  evolve(state: S, event: E): S;
}>;

export const accept = <E extends Event>(...events: E[]): Readonly<{ outcome: 'accepted'; events: readonly E[] }> => ({
  outcome: 'accepted',
  events,
});

export const reject = <R extends Rejection>(rejection: R): Readonly<{ outcome: 'rejected'; rejection: R }> => ({
  outcome: 'rejected',
  rejection,
});

export const assertNever = (value: never): never => {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
};
