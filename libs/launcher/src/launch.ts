import { within } from '@causeway/concurrency';
import { NoBroker } from '@causeway/kafka-broker';
import { stopOnSignal } from '@causeway/service';
import { SettingInvalid } from '@causeway/settings';
import { AlreadyRunning, lockDataDir } from './data-dir.ts';
import { endLeftovers } from './leftovers.ts';
import { launcherSettings, type LauncherSettings } from './settings.ts';

type Close = (withinMs: number) => Promise<unknown>;

export type Launching = Readonly<{
  settings: LauncherSettings;
  /** Is told how to close what was opened; closed in the opposite order, each within its share of the time. */
  closing(close: Close): void;
  /** Aborts when the system is to stop, be it in the middle of its start. */
  signal: AbortSignal;
}>;

/** The time that the stop of a start which failed has. */
const failedStopMs = 9000;

/** Each gets two thirds of what is left, the last all of it. One that is not done by then holds up none of the others. */
const closeAll = async (closes: Close[], withinMs: number): Promise<void> => {
  const endsAt = performance.now() + withinMs;
  const failures: unknown[] = [];
  for (let close = closes.pop(); close !== undefined; close = closes.pop()) {
    const shareMs = (endsAt - performance.now()) * (closes.length === 0 ? 1 : 2 / 3);
    try {
      if (!(await within(shareMs, close(shareMs)))) failures.push(new Error(`not closed within ${shareMs} ms`));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `not everything closed cleanly: ${failures.join('; ')}`);
};

/**
 * Runs the system on one machine until it is told to stop: one at a time on a data directory, after what a killed one left
 * behind was ended.
 */
export const launch = async (start: (launching: Launching) => Promise<void>): Promise<void> => {
  const closes: Close[] = [];
  const stopping = new AbortController();
  const stop = async (withinMs: number): Promise<void> => {
    stopping.abort();
    await closeAll(closes, withinMs);
  };
  stopOnSignal(stop);
  // A terminal that is closed wants the same as a Ctrl-C in it, and cannot be told anything any more.
  process.on('SIGHUP', () => process.kill(process.pid, 'SIGTERM'));
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  try {
    const settings = launcherSettings(process.env);
    const unlock = lockDataDir(settings.dataDir);
    closes.push(async () => unlock());
    await endLeftovers(settings.dataDir);
    stopping.signal.throwIfAborted();
    await start({ settings, closing: (close) => void closes.push(close), signal: stopping.signal });
  } catch (error) {
    // A start that a signal cut short has not failed.
    if (stopping.signal.aborted) return;
    const { message, stack } = error as Error;
    const isPlain = [AlreadyRunning, SettingInvalid, NoBroker].some((plain) => error instanceof plain);
    process.stderr.write(`${isPlain ? message : stack}\n`);
    await stop(failedStopMs).catch(() => undefined);
    process.exit(1);
  }
};
