/** The claim may be another process's by now: nothing more may be done under it. */
export class ClaimLost extends Error {}

/** What one claim allows. */
export type Hold = Readonly<{
  /** Fires when the claim was lost or dropped, and when the process stops. */
  signal: AbortSignal;
  /**
   * Throws when the signal has fired, or should have: to a process that stood still, timers come late. To be called
   * right before each step that others can see.
   */
  throwIfLost(): void;
}>;

export type Hand<C> = Hold &
  Readonly<{
    claim: C;
    renewed(sentAtMs: number): void;
    isLost(): boolean;
    lose(): void;
    /** Fires the signal, although the claim is held. */
    drop(): void;
    end(): void;
  }>;

/** A holder that is stopped or cut off is replaced within 5 s: this, and what it takes to claim. */
export const claimTtlMs = 4000;

/**
 * `sentAtMs`: of the statement that claimed, by the monotonic clock of this process. The database counts from a later
 * moment, so the claim is lost here first.
 */
export const startHand = <C>(claim: C, sentAtMs: number): Hand<C> => {
  const controller = new AbortController();
  const { signal } = controller;
  let until = sentAtMs + claimTtlMs;
  let lost = false;
  const loss = new ClaimLost('the claim has run out, or is another’s');
  const lose = (): void => {
    lost = true;
    controller.abort(loss);
  };
  const isLost = (): boolean => {
    if (!lost && performance.now() >= until) lose();
    return lost;
  };
  const expiry = setTimeout(lose, until - performance.now());
  return {
    claim,
    signal,
    throwIfLost: () => {
      // The signal tells what came first: the claim may have been lost since it was dropped.
      if (isLost()) throw loss;
      signal.throwIfAborted();
    },
    renewed: (sentAt) => {
      until = sentAt + claimTtlMs;
      expiry.refresh();
    },
    isLost,
    lose,
    drop: () => controller.abort(),
    end: () => clearTimeout(expiry),
  };
};
