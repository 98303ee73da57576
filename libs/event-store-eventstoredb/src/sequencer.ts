import { coalesced } from '@causeway/concurrency';
import type { EventStore, Position } from '@causeway/event-sourcing';
import { waiters } from '@causeway/event-store-postgres';
import { startFollower } from './follower.ts';
import { gatherer, type Gathered } from './gather.ts';
import type { Order, Standing } from './order.ts';
import { isAfter } from './position.ts';
import type { Server } from './server.ts';

/** Read at once when looking for the head; as a rule a handful is there. */
const pageEvents = 500;

type Places = Readonly<{ server: Server; order: Order; prefix: string }>;

/** The few events that the follower may not have seen yet, up to the server's end; all of ours among them placed. */
const placeToEnd = async ({ server, order, prefix }: Places, { passed, last }: Standing): Promise<Position> => {
  const { take } = gatherer(prefix);
  const appends: Gathered[] = [];
  for (let from = passed; ;) {
    const page = await server.readAll(from, pageEvents);
    for (const event of page) {
      const append = isAfter(event.position, from) ? take(event) : undefined;
      if (append !== undefined) appends.push(append);
    }
    if (page.length < pageEvents) return order.place(last, appends);
    from = page.at(-1)?.position;
  }
};

/** The order of a service's events, which any number of processes give together; none waits for another. */
export const startSequencer = (places: Places): Pick<EventStore, 'head' | 'changed' | 'close'> => {
  const waiting = waiters();
  const follower = startFollower({ ...places, onPlaced: waiting.reached });

  const head = coalesced(async () => {
    const position = await placeToEnd(places, await follower.reached());
    waiting.reached(position);
    return position;
  });

  const changed = async (after: Position, signal: AbortSignal): Promise<void> => {
    if (waiting.known() > after || signal.aborted) return;
    // A fault of following is told by `head` and by reads; who waits here looks again after a short while anyway.
    follower.reached().catch(() => undefined);
    await waiting.wait(after, signal);
  };

  const close = async (): Promise<void> => {
    waiting.close();
    await follower.stop();
  };

  return { head, changed, close };
};
