import { setTimeout as sleep } from 'node:timers/promises';

const retryMs = 500;
const retriesMax = 10;

/** Hands over what has come in while the batch before was written: the busier, the bigger the batches. */
export const startBatches = <T>(write: (batch: readonly T[]) => Promise<void>, onFault: (error: unknown) => void) => {
  let waiting: T[] = [];
  let writing: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await persistently(() => write(batch), onFault);
    }
  };
  return {
    add: (item: T): void => {
      waiting.push(item);
      writing ??= writeAll().finally(() => (writing = undefined));
    },
    flushed: async (): Promise<void> => writing,
  };
};

/** What cannot be written after some seconds is given up: the claims run out, and it is tried again. */
const persistently = async (write: () => Promise<void>, onFault: (error: unknown) => void): Promise<void> => {
  for (let attempt = 1; attempt <= retriesMax; attempt++) {
    try {
      return await write();
    } catch (error) {
      onFault(error);
    }
    await sleep(retryMs);
  }
};
