import type { Sequenced } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';
import { startWalk, type Walk, type WalkOptions } from './walk.ts';

export type FeedOptions = WalkOptions &
  Readonly<{
    /** The events that `take` is for: the others cost it no transaction. All, when left out. Pure. */
    concerns?: (event: Sequenced) => boolean;
    /**
     * Writes to the service's own tables what follows from the events, above all items of its work queue. It is called
     * again with the same events when the commit fails, so nothing but the transaction may be touched.
     */
    take: (tx: PoolClient, events: readonly Sequenced[]) => Promise<void>;
    /** What `take` wrote is committed. */
    fed: () => void;
  }>;

/** Our events → rows of our own. The checkpoint commits with the rows: no event is taken twice, and none is left out. */
export const startFeed = (options: FeedOptions): Walk => {
  const { concerns = () => true, take, fed } = options;
  return startWalk(options, async ({ events, position }, _, run) => {
    const taken = events.filter(concerns);
    if (taken.length === 0) await run.commit(position);
    else {
      await run.commit(position, (tx) => take(tx, taken));
      fed();
    }
    return position;
  });
};
