import { setImmediate as turn } from 'node:timers/promises';

/** What holds the thread longer keeps every request of the process waiting. */
const sliceMs = 10;

/** To be awaited between pieces of long work: lets others have the thread once this work has had it for a slice. */
export const breathing = (): (() => Promise<void>) => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < sliceMs) return;
    await turn();
    since = performance.now();
  };
};
