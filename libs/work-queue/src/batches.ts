import { setTimeout as sleep } from 'node:timers/promises';

const retryMs = 500;
const retriesMax = 10;

/** Writes together what has come in while the batch before was written: the busier, the bigger the batches. */
export const startBatches = <T>(write: (batch: readonly T[]) => Promise<void>, onFault: (error: unknown) => void) => {
  let last: Promise<void> = Promise.resolve();
  let open: Readonly<{ items: T[]; written: Promise<void> }> | undefined;

  const openBatch = () => {
    const items: T[] = [];
    const written = last.then(() => {
      open = undefined;
      return persistently(() => write(items), onFault);
    });
    last = written;
    return { items, written };
  };
  return {
    /** Resolves when the item was written or given up. */
    add: (item: T): Promise<void> => {
      open ??= openBatch();
      open.items.push(item);
      return open.written;
    },
  };
};

/** What cannot be written after some seconds is given up: its claim runs out, and the work is done again. */
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
