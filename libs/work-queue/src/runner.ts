import { pause, within } from '@causeway/concurrency';
import { claimTtlMs } from './hand.ts';
import { startHands } from './hands.ts';
import type { Source } from './source.ts';
import { startWakeUp } from './wake-up.ts';

export type RunnerOptions = Readonly<{
  onFault: (error: unknown) => void;
  /** For how long `stop` lets work go on before it fires the signals. */
  graceMs?: number;
}>;

export type Runner<C> = Readonly<{
  /** There may be something due. */
  wake(): void;
  /** Fires the signals of these claims. */
  drop(which: (claim: C) => boolean): void;
  /** Lets go of all work; what does not return within 2 s is given back all the same. */
  stop(): Promise<void>;
}>;

const renewalMs = claimTtlMs / 3;
/** Between two looks for what other processes have put in. */
const lookMs = 1000;
const returnMs = 2000;
const giveBackMs = 500;

/** Has the items of one source worked, within the room that the source gives. */
export const startRunner = <C, R>(source: Source<C, R>, { onFault, graceMs = 0 }: RunnerOptions): Runner<C> => {
  const wakeUp = startWakeUp();
  const [stopping, stopped] = [new AbortController(), new AbortController()];
  let crowded = false;
  const hands = startHands(source, onFault, () => {
    if (crowded) wakeUp.wake();
  });
  const dropAll = () => hands.drop(() => true);

  const round = async (): Promise<number> => {
    const sentAtMs = performance.now();
    const { claims, nextInMs, ...taken } = await source.claim(hands.claims());
    crowded = taken.crowded;
    for (const claim of claims) hands.take(claim, sentAtMs);
    return Math.min(nextInMs ?? lookMs, lookMs);
  };
  const looking = looks(round, wakeUp, { signal: stopping.signal, onFault });
  const keeping = every(renewalMs, () => hands.renew().catch(onFault), stopped.signal);

  return {
    wake: wakeUp.wake,
    drop: hands.drop,
    stop: async () => {
      stopping.abort();
      const cut = setTimeout(dropAll, graceMs);
      const done = looking.then(() => {
        // What the last round brought is given back, too.
        if (graceMs === 0) dropAll();
        return hands.empty();
      });
      await within(graceMs + returnMs, done);
      clearTimeout(cut);
      stopped.abort();
      await within(giveBackMs, hands.giveBack().catch(onFault));
      await within(giveBackMs, keeping);
    },
  };
};

type Looking = Readonly<{ signal: AbortSignal; onFault: (error: unknown) => void }>;

/** `round` says when the next one is due, if it is not woken before. */
const looks = async (
  round: () => Promise<number>,
  wakeUp: ReturnType<typeof startWakeUp>,
  { signal, onFault }: Looking,
): Promise<void> => {
  while (!signal.aborted) {
    const since = performance.now();
    const restMs = await round().catch((error: unknown) => {
      onFault(error);
      return lookMs;
    });
    // Among many who wait a claim costs more: then more of what ends shares one.
    await pause(performance.now() - since, signal);
    await wakeUp.wait(restMs, signal);
  }
};

const every = async (ms: number, act: () => Promise<void>, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await pause(ms, signal);
    if (!signal.aborted) await act();
  }
};
