import { pause, within } from '@causeway/concurrency';
import type { Position } from '@causeway/event-sourcing';
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
   * How far it has come. Waits until it has once been live, or was cut off after some of the way, as a server does with
   * who is slower than a burst; rejects when the try under way fails otherwise, but for an outage later on: then how far it
   * had come. Begins to follow when first asked.
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

type Beginning = Readonly<{ first: Arrival[]; from: ServerPosition | undefined }>;

/**
 * The first event at or after where the last reader stood. Where that one's event is gone, deleted and scavenged, a
 * subscription from there would skip the next.
 */
const beginningAt = async ({ server }: Following, { passed, last }: Standing): Promise<Beginning> => {
  if (passed === undefined) return { first: [], from: undefined };
  const [event] = await server.readAll(passed, 1);
  if (event !== undefined) {
    return { first: isAfter(event.position, passed) ? [{ event }] : [], from: event.position };
  }
  // How far the server has looked may be told by events of its own that it shows to no reader. What has a place it shows.
  if (last === undefined) return { first: [], from: undefined };
  const [placed] = await server.readAll(last, 1);
  if (placed === undefined)
    throw new Error('the server’s log ends before what has a place: it is not the one followed');
  return { first: [], from: placed.position };
};

const followOnce = async (
  following: Following,
  signal: AbortSignal,
  onMoved: (standing: Standing, live: boolean) => void,
): Promise<void> => {
  const { server, order, prefix } = following;
  const begun = await order.standing();
  const placeAll = placeArrivals(following, begun);
  const { first, from } = await beginningAt(following, begun);
  await placeAll(first);
  let live = false;
  for await (const arrivals of arrivalsAfter(server, prefix, from, signal)) {
    const standing = await placeAll(arrivals);
    live ||= arrivals.includes('live');
    onMoved(standing, live);
  }
};

/** What comes of a try: whoever asks while it is under way waits for it. */
const expectation = () => {
  let settle: { resolve(standing: Standing): void; reject(fault: unknown): void };
  const promise = new Promise<Standing>((resolve, reject) => (settle = { resolve, reject }));
  promise.catch(() => undefined);
  return { promise, resolve: (s: Standing) => settle.resolve(s), reject: (fault: unknown) => settle.reject(fault) };
};

/** What is known of how far it has come, for whoever asks. */
const knowledge = () => {
  let trying = expectation();
  let standing: Standing | undefined;
  return {
    live: (reached: Standing): void => {
      standing = reached;
      trying.resolve(reached);
    },
    /** `came`: how far this try came before. */
    failed: (error: unknown, came: Standing | undefined): void => {
      const fault = asFault(error);
      standing = fault instanceof EventStoreAway ? (came ?? standing) : undefined;
      if (standing === undefined) trying.reject(fault);
      else trying.resolve(standing);
      trying = expectation();
    },
    ended: (): void => trying.reject(new Error('the store was closed')),
    standing: async (): Promise<Standing> => standing ?? trying.promise,
  };
};

/**
 * Follows the server's order of all events, filtered by the server, and keeps at it until it is stopped. Every replica
 * does; what several of them place is placed once.
 */
export const startFollower = (following: Following): Follower => {
  const stopping = new AbortController();
  const known = knowledge();
  let running: Promise<void> | undefined;

  const tryOnce = async (): Promise<boolean> => {
    let came: Standing | undefined;
    let wasLive = false;
    try {
      await followOnce(following, stopping.signal, (reached, live) => {
        came = reached;
        wasLive = live;
        if (live) known.live(reached);
      });
    } catch (error) {
      // Told to whoever waits for it, and to whoever asks the server meanwhile; following goes on when it can.
      known.failed(error, came);
    }
    return wasLive;
  };

  const run = async (): Promise<void> => {
    for (let pauseMs = pauseMinMs; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
      if (await tryOnce()) pauseMs = pauseAfterLiveMs;
      await pause(pauseMs, stopping.signal);
    }
    known.ended();
  };

  const reached = async (): Promise<Standing> => {
    running ??= run();
    return known.standing();
  };

  const stop = async (): Promise<void> => {
    stopping.abort();
    await within(stopMaxMs, running ?? Promise.resolve());
  };

  return { reached, stop };
};
