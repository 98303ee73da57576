import { NoBroker } from '@causeway/kafka-broker';
import { stopOnSignal } from '@causeway/service';
import { SettingInvalid } from '@causeway/settings';
import { AlreadyRunning, lockDataDir } from './data-dir.ts';
import { endLeftovers } from './leftovers.ts';
import { launcherSettings, type LauncherSettings } from './settings.ts';

export type Launching = Readonly<{
  settings: LauncherSettings;
  /** Is told how to close what was opened; closed in the opposite order. */
  closing(close: () => Promise<unknown>): void;
  /** Aborts when the system is to stop, be it in the middle of its start. */
  signal: AbortSignal;
}>;

/**
 * Runs the system on one machine until it is told to stop: one at a time on a data directory, after what a killed one left
 * behind was ended.
 */
export const launch = async (start: (launching: Launching) => Promise<void>): Promise<void> => {
  const closes: (() => Promise<unknown>)[] = [];
  const stopping = new AbortController();
  /** All of them, whatever became of the ones before. */
  const closeAll = async (): Promise<void> => {
    stopping.abort();
    const failures: unknown[] = [];
    for (let close = closes.pop(); close !== undefined; close = closes.pop()) {
      await close().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw new AggregateError(failures, 'not everything closed cleanly');
  };
  stopOnSignal(closeAll);
  // A terminal that is closed wants the same as a Ctrl-C in it, and cannot be told anything any more.
  process.on('SIGHUP', () => process.kill(process.pid, 'SIGTERM'));
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  try {
    const settings = launcherSettings(process.env);
    const unlock = lockDataDir(settings.dataDir);
    closes.push(async () => unlock());
    await endLeftovers(settings.dataDir);
    await start({ settings, closing: (close) => void closes.push(close), signal: stopping.signal });
  } catch (error) {
    // A start that a signal cut short has not failed.
    if (stopping.signal.aborted) return;
    const { message, stack } = error as Error;
    const isPlain = [AlreadyRunning, SettingInvalid, NoBroker].some((plain) => error instanceof plain);
    process.stderr.write(`${isPlain ? message : stack}\n`);
    await closeAll().catch(() => undefined);
    process.exit(1);
  }
};
