import { pause } from '@causeway/concurrency';

/** `stop`: throws when it had to be ended by force. */
export type Process = Readonly<{ pid: number; exited: Promise<void>; stop(withinMs: number): Promise<void> }>;

export type Kept<P extends Process> = Readonly<{
  /** The process of now, or the last one while another is being started. */
  current(): P;
  /** Ends it; the signal has said that it is for good. */
  stop(withinMs: number): Promise<void>;
}>;

type Keeping = Readonly<{
  onRestart(): void;
  /** From then on nothing is started any more, and what is being started is ended. */
  signal: AbortSignal;
}>;

const restartPauseMs = 200;
const restartPauseMaxMs = 5000;
/** One that has lived for so long did not die of its start: the next pause is short again. */
const settledMs = 10_000;

/**
 * A process that is started again when it ends by itself, until the signal: `start` is given the one before, so that the
 * next can have its port. Those that end soon after their start are given longer and longer pauses.
 */
export const keepAlive = async <P extends Process>(
  start: (before: P | undefined) => Promise<P>,
  { onRestart, signal }: Keeping,
): Promise<Kept<P>> => {
  let current = await start(undefined);
  let startedAt = performance.now();
  let pauseMs = restartPauseMs;
  let restarting: Promise<void> = Promise.resolve();

  const restart = async (): Promise<void> => {
    if (performance.now() - startedAt > settledMs) pauseMs = restartPauseMs;
    while (!signal.aborted) {
      await pause(pauseMs, signal);
      pauseMs = Math.min(2 * pauseMs, restartPauseMaxMs);
      if (signal.aborted) return;
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
      if (!signal.aborted) restarting = restart();
    });
  };
  watch();

  const stop = async (withinMs: number): Promise<void> => {
    // What is about to be there would be left behind.
    await restarting;
    await current.stop(withinMs);
  };
  return { current: () => current, stop };
};
