import type { Decider, Rejection } from '../decider.ts';
import type { Event } from '../event.ts';

/** `then`: the events recorded, or the rejection. */
export type Rule<C, E extends Event, R extends Rejection> = Readonly<{
  given: readonly E[];
  when: C;
  then: readonly E[] | Readonly<{ rejected: R }>;
}>;

/**
 * The rules of an aggregate as a table; each key says its rule. Every accepted command is then given again: whatever it
 * answers, it may not record more.
 */
export const deciderSpec = <S, C, E extends Event, R extends Rejection>(
  { initial, decide, evolve }: Decider<S, C, E, R>,
  rules: Readonly<Record<string, Rule<C, E, R>>>,
): void => {
  const fold = (state: S, events: readonly E[]): S => events.reduce<S>((folded, event) => evolve(folded, event), state);

  test.each(Object.entries(rules))('%s', (_, { given, when, then }) => {
    const before = fold(initial, given);
    const decision = decide(before, when);
    if ('rejected' in then) {
      expect(decision).toEqual({ outcome: 'rejected', rejection: then.rejected });
      return;
    }
    expect(decision).toEqual({ outcome: 'accepted', events: then });
    const again = decide(fold(before, then), when);
    expect(again.outcome === 'rejected' ? [] : again.events).toEqual([]);
  });
};
