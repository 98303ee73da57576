import { pause } from '@causeway/concurrency';

/** A call to `wake` between two waits ends the next one at once: none is missed. */
export const startWakeUp = () => {
  let awake = false;
  let ring = new AbortController();
  return {
    wake: (): void => {
      awake = true;
      ring.abort();
    },
    wait: async (atMostMs: number, signal: AbortSignal): Promise<void> => {
      if (!awake) await pause(atMostMs, AbortSignal.any([ring.signal, signal]));
      awake = false;
      ring = new AbortController();
    },
  };
};
