import type { Position } from '@causeway/event-sourcing';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrivalsAfter, type Arrival } from './arrivals.ts';
import { gatherer, type Gathered } from './gather.ts';
import type { Order, Standing } from './order.ts';
import { isAfter, later, type ServerPosition } from './position.ts';
import { asFault, EventStoreAway, type Server } from './server.ts';

/** After a try to follow that ended before it was live; doubled from try to try. */
const pauseMinMs = 100;
/** After one that was live: a server drops who is slower than a burst, an append of many events for one. */
const pauseAfterLiveMs = 10;
const pauseMaxMs = 2000;
/** Where only others write, how far this was looked through is kept this often: a start goes on from there. */
const keepPassedMs = 10_000;
/** A try that hangs in a call is not waited for when it is to end. */
const stopMaxMs = 2000;

export type Following = Readonly<{ server: Server; order: Order; prefix: string; onPlaced: (head: Position) => void }>;

export type Follower = Readonly<{
  /**
   * How far it has come. Waits until it has once been live; rejects when the try under way fails, but for an outage after
   * that: then how far it had come. Begins to follow when first asked.
   */
  reached(): Promise<Standing>;
  stop(): Promise<void>;
}>;

/** Gives each append its place as it arrives. Answers how far it has come by that. */
const placeArrivals = (following: Following, from: Standing) => {
  const { order, prefix, onPlaced } = following;
  const { take, isOpen } = gatherer(prefix);
  let standing = from;
  let keptAt = performance.now();

  return async (arrivals: readonly Arrival[]): Promise<Standing> => {
    const appends: Gathered[] = [];
    let passed: ServerPosition | undefined;
    for (const arrival of arrivals) {
      if (arrival === 'live') continue;
      const append = 'event' in arrival ? take(arrival.event) : undefined;
      if (append !== undefined) appends.push(append);
      if (!isOpen()) passed = 'event' in arrival ? arrival.event.position : arrival.passed;
    }
    if (appends.length > 0) onPlaced(await order.place(standing.last, appends));
    else if (passed !== undefined && performance.now() - keptAt > keepPassedMs) {
      await order.lookedThrough(passed);
      keptAt = performance.now();
    }
    standing = { passed: later(passed, standing.passed), last: appends.at(-1)?.at ?? standing.last };
    return standing;
  };
};

/**
 * The first event at or after where the last reader stood. Where that one's event is gone, deleted and scavenged, a
 * subscription from there would skip the next.
 */
const firstArrivals = async ({ server }: Following, passed: ServerPosition | undefined): Promise<Arrival[]> => {
  if (passed === undefined) return [];
  const [event] = await server.readAll(passed, 1);
  if (event === undefined) throw new Error('the server’s log ends before what has a place: it is not the one followed');
  return isAfter(event.position, passed) ? [{ event }] : [];
};

const followOnce = async (following: Following, signal: AbortSignal, onLive: (standing: Standing) => void) => {
  const { server, order, prefix } = following;
  const begun = await order.standing();
  const placeAll = placeArrivals(following, begun);
  const first = await firstArrivals(following, begun.passed);
  await placeAll(first);
  const [stepped] = first;
  const from =
    stepped !== undefined && stepped !== 'live' && 'event' in stepped ? stepped.event.position : begun.passed;
  let live = false;
  for await (const arrivals of arrivalsAfter(server, prefix, from, signal)) {
    const standing = await placeAll(arrivals);
    live ||= arrivals.includes('live');
    if (live) onLive(standing);
  }
};

/** What comes of a try: whoever asks while it is under way waits for it. */
const expectation = () => {
  let settle: { resolve(standing: Standing): void; reject(fault: unknown): void };
  const promise = new Promise<Standing>((resolve, reject) => (settle = { resolve, reject }));
  promise.catch(() => undefined);
  return { promise, resolve: (s: Standing) => settle.resolve(s), reject: (fault: unknown) => settle.reject(fault) };
};

/**
 * Follows the server's order of all events, filtered by the server, and keeps at it until it is stopped. Every replica
 * does; what several of them place is placed once.
 */
export const startFollower = (following: Following): Follower => {
  const stopping = new AbortController();
  let trying = expectation();
  let standing: Standing | undefined;
  let running: Promise<void> | undefined;

  const failed = (error: unknown): void => {
    const fault = asFault(error);
    if (!(fault instanceof EventStoreAway)) standing = undefined;
    trying.reject(fault);
    trying = expectation();
  };

  const run = async (): Promise<void> => {
    for (let pauseMs = pauseMinMs; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
      let live = false;
      try {
        await followOnce(following, stopping.signal, (reached) => {
          live = true;
          standing = reached;
          trying.resolve(reached);
        });
      } catch (error) {
        // Told to whoever waits for it, and to whoever asks the server meanwhile; following goes on when it can.
        failed(error);
      }
      if (live) pauseMs = pauseAfterLiveMs;
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    trying.reject(new Error('the store was closed'));
  };

  const reached = async (): Promise<Standing> => {
    running ??= run();
    return standing ?? trying.promise;
  };

  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.race([running, sleep(stopMaxMs, undefined, { ref: false })]);
  };

  return { reached, stop };
};
