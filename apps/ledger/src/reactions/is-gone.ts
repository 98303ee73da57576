import { erasureStream } from '@causeway/booking';
import { pause } from '@causeway/concurrency';
import type { EventSourced } from '@causeway/service';

/** What is built beside the live rows is a moment behind them, unless it has far to go. */
const behindMaxMs = 2000;
const pollMs = 50;

/**
 * Whether nothing of a connection can be in a table any more: the live rows have taken its removal, and so has all that
 * is kept or built beside them.
 */
export const isGone =
  ({ store, pool, untilHidden }: Pick<EventSourced, 'store' | 'pool' | 'untilHidden'>) =>
  async (connectionId: string): Promise<boolean> => {
    const head = await store.head();
    await untilHidden(erasureStream(connectionId));
    for (const deadline = Date.now() + behindMaxMs; Date.now() < deadline; await pause(pollMs)) {
      const behind = await pool.query('SELECT FROM ledger.projection WHERE position < $1', [head]);
      if (behind.rowCount === 0) return true;
    }
    return false;
  };
