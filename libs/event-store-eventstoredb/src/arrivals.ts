import {
  START,
  streamNameFilter,
  type AllStreamRecordedEvent,
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type SubscribeToAllOptions,
} from '@eventstore/db-client';
import type { ServerPosition } from './position.ts';
import type { Server } from './server.ts';

/** What a subscription brings, in the server's order. */
export type Arrival =
  | Readonly<{ event: AllStreamRecordedEvent }>
  /** All others up to here belong to somebody else. */
  | Readonly<{ passed: ServerPosition }>
  /** Everything that was acknowledged before the subscription began has arrived. */
  | 'live';

/**
 * Others' events between two words on how far the server has looked. So many at most are read in vain by a look at the
 * head; fewer, and the server has to be asked for more pages of a long history.
 */
const searchWindow = 128;

const ignored = (): void => undefined;

/** One waits at it, and goes on when it has rung since, however often. */
const bell = () => {
  let rung = false;
  let wake = ignored;
  return {
    ring: (): void => {
      rung = true;
      wake();
    },
    rings: async (): Promise<void> => {
      if (!rung) await new Promise<void>((resolve) => (wake = resolve));
      rung = false;
    },
  };
};

type CheckpointReached = (of: unknown, passed: ServerPosition) => Promise<void>;

type Inbox = Readonly<{
  arrived(): Arrival[];
  /** Resolves when something may have arrived; rejects with what ended the subscription. */
  rung(): Promise<void>;
  end(reason: Error): void;
  subscription: AllStreamSubscription;
}>;

/**
 * The client tells of passed positions and of being live beside the events, and ahead of those that still wait in its
 * buffer: these are taken out first. It waits with what comes after a passed position until that was taken.
 */
const inboxOf = (open: (checkpointReached: CheckpointReached) => AllStreamSubscription): Inbox => {
  const { ring, rings } = bell();
  const arrivals: Arrival[] = [];
  let taken = ignored;
  let fault: Error | undefined;

  const drain = (): void => {
    for (;;) {
      const resolved = subscription.read() as AllStreamResolvedEvent | null;
      if (resolved === null) return;
      if (resolved.event !== undefined) arrivals.push({ event: resolved.event });
    }
  };
  const tell = (arrival: Arrival): void => {
    drain();
    arrivals.push(arrival);
    ring();
  };
  const end = (reason: Error): void => {
    fault ??= reason;
    ring();
  };
  const arrived = (): Arrival[] => {
    drain();
    taken();
    return arrivals.splice(0);
  };
  const rung = async (): Promise<void> => {
    await rings();
    if (fault !== undefined) throw fault;
  };

  const subscription = open((_, passed) => {
    tell({ passed });
    return new Promise((resolve) => (taken = resolve));
  });
  subscription.on('readable', ring);
  subscription.on('caughtUp', () => tell('live'));
  subscription.on('error', end);
  subscription.on('end', () => end(new Error('the server ended the subscription')));
  return { arrived, rung, end, subscription };
};

/**
 * Events after a position, as they come, without end until the signal: a service's, by what its streams' names begin with,
 * or those of all names that match. The server looks for the event at the position it is given and goes on behind the one
 * it finds: that event must still be there.
 */
export async function* arrivalsAfter(
  server: Server,
  names: string | RegExp,
  from: ServerPosition | undefined,
  signal: AbortSignal,
): AsyncGenerator<Arrival[], void> {
  const { arrived, rung, end, subscription } = inboxOf((checkpointReached) => {
    const how = { maxSearchWindow: searchWindow, checkpointReached };
    const filter =
      typeof names === 'string'
        ? streamNameFilter({ prefixes: [names], ...how })
        : streamNameFilter({ regex: names.source, ...how });
    const options: SubscribeToAllOptions = { fromPosition: from ?? START, filter, requiresLeader: true };
    return server.client.subscribeToAll(options);
  });
  const abort = (): void => end(new Error('told to stop'));
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    for (;;) {
      await rung();
      const arrivals = arrived();
      if (arrivals.length > 0) yield arrivals;
    }
  } catch (fault) {
    if (!signal.aborted) throw fault;
  } finally {
    signal.removeEventListener('abort', abort);
    // Whatever ended the loop: a subscription that is only let go of stays open on both sides.
    subscription.unsubscribe().catch(ignored);
  }
}
