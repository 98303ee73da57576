import { setTimeout as sleep } from 'node:timers/promises';

export type Process = Readonly<{ pid: number; exited: Promise<void>; stop(): Promise<void> }>;

export type Kept<P extends Process> = Readonly<{
  /** The process of now, or the last one while another is being started. */
  current(): P;
  /** Ends it for good. */
  stop(): Promise<void>;
}>;

const restartPauseMs = 200;
const restartPauseMaxMs = 5000;
/** One that has lived for so long did not die of its start: the next pause is short again. */
const settledMs = 10_000;

/**
 * A process that is started again when it ends by itself, until `stop`: `start` is given the one before, so that the next
 * can have its port. Those that end soon after their start are given longer and longer pauses.
 */
export const keepAlive = async <P extends Process>(
  start: (before: P | undefined) => Promise<P>,
  onRestart: () => void,
): Promise<Kept<P>> => {
  let current = await start(undefined);
  let startedAt = performance.now();
  let pauseMs = restartPauseMs;
  let stopping = false;
  let restarting: Promise<void> = Promise.resolve();

  const restart = async (): Promise<void> => {
    if (performance.now() - startedAt > settledMs) pauseMs = restartPauseMs;
    while (!stopping) {
      await sleep(pauseMs);
      pauseMs = Math.min(2 * pauseMs, restartPauseMaxMs);
      if (stopping) return;
      try {
        current = await start(current);
        startedAt = performance.now();
        onRestart();
        return watch();
      } catch (error) {
        process.stderr.write(`restart failed, trying again: ${(error as Error).message}\n`);
      }
    }
  };
  const watch = (): void => {
    void current.exited.then(() => {
      if (!stopping) restarting = restart();
    });
  };
  watch();

  const stop = async (): Promise<void> => {
    stopping = true;
    // What is about to be there would be left behind.
    await restarting;
    await current.stop();
  };
  return { current: () => current, stop };
};
