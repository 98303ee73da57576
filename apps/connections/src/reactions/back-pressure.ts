import { setTimeout as sleep } from 'node:timers/promises';
import type { SyncParts } from './sync-parts.ts';

const pollMs = 100;

/** A message of the run is a dead letter: no more of it is fetched. */
export class RunSetAside extends Error {}

/**
 * Waits while too much of the bytes sent so far is not booked: keeps a run in step with what the ledger says of it, to
 * whichever process it says so.
 */
export const untilBookedOf = (
  { pool, unbookedBytesMax }: Pick<SyncParts, 'pool' | 'unbookedBytesMax'>,
  runId: string,
) => {
  let booked = 0;
  const look = async (): Promise<void> => {
    const { rows } = await pool.query<{ booked: number; setAside: boolean }>({
      name: 'sync_run.booked',
      text: 'SELECT booked_bytes AS booked, set_aside AS "setAside" FROM connections.sync_run WHERE run_id = $1',
      values: [runId],
    });
    if (rows[0]?.setAside === true) throw new RunSetAside('A message of it was set aside.');
    booked = rows[0]?.booked ?? 0;
  };
  return async (sentBytes: number, signal: AbortSignal): Promise<void> => {
    while (sentBytes - booked > unbookedBytesMax) {
      await look();
      if (sentBytes - booked > unbookedBytesMax) await sleep(pollMs, undefined, { signal });
    }
  };
};
