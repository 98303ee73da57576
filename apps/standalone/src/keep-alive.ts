import { setTimeout as sleep } from 'node:timers/promises';

type Process = Readonly<{ port: number; pid: number; exited: Promise<void>; stop(): Promise<void> }>;

const restartPauseMs = 200;
const restartPauseMaxMs = 5000;

/** A process that is started again on its port when it ends by itself, until `stop`. */
export const keepAlive = async <P extends Process>(
  start: (port: number | undefined) => Promise<P>,
  onRestart: (restarted: P) => void,
): Promise<Readonly<{ first: P; stop(): Promise<void> }>> => {
  const first = await start(undefined);
  let current = first;
  let stopping = false;

  const restart = async (): Promise<void> => {
    for (let pause = restartPauseMs; !stopping; pause = Math.min(2 * pause, restartPauseMaxMs)) {
      await sleep(pause);
      try {
        if (stopping) return;
        current = await start(first.port);
        onRestart(current);
        watch();
        return;
      } catch (error) {
        process.stderr.write(`restart failed, trying again: ${(error as Error).message}\n`);
      }
    }
  };
  const watch = (): void => {
    void current.exited.then(() => (stopping ? undefined : restart()));
  };
  watch();

  const stop = async (): Promise<void> => {
    stopping = true;
    await current.stop();
  };
  return { first, stop };
};
