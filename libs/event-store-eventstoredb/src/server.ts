import {
  EventStoreDBClient,
  ErrorType,
  isCommandError,
  START,
  type AllStreamRecordedEvent,
  type AllStreamResolvedEvent,
  type ErrorType as Kind,
  type ReadAllOptions,
  type RecordedEvent,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { placeholder } from './held.ts';
import type { ServerPosition } from './position.ts';

/** The server, or its leader, does not answer. What was asked may have happened: it may be asked again. */
export class EventStoreAway extends Error {
  /** `isOutage` knows it by this. */
  readonly code = 'EVENT_STORE_AWAY';
}

/** While a new leader is chosen the old one may still be asked, and names nobody, or one that is not ready. */
const leaderTriesMax = 5;
const leaderPauseMs = 100;
/**
 * A write that repeats one which is still being indexed is dropped by the server and answered with a timeout, 2 s later;
 * the same again is then known. What is asked here may be asked again: ids and tombstones are the same.
 */
const timeoutTriesMax = 3;
/** The client puts no deadline on a read. One that brings nothing for this long is given up. */
const silenceMaxMs = 10_000;
/** gRPC's INTERNAL: how a stream that a dying server reset ends. */
const internal = 13;

const awayKinds: ReadonlySet<Kind> = new Set([
  ErrorType.UNAVAILABLE,
  ErrorType.DEADLINE_EXCEEDED,
  ErrorType.TIMEOUT,
  ErrorType.CANCELLED,
  ErrorType.NOT_LEADER,
]);

const kindOf = (error: unknown): Kind | undefined =>
  error instanceof Error && isCommandError(error) ? error.type : undefined;

export const isKind = (error: unknown, kind: Kind): boolean => kindOf(error) === kind;

const isAway = (error: unknown): boolean => {
  const kind = kindOf(error);
  if (kind !== undefined) return awayKinds.has(kind) || (error as { code?: unknown }).code === internal;
  // The one fault of the client that has no type: no member of the cluster answered.
  return error instanceof Error && error.message.startsWith('Failed to discover');
};

/** Whatever the client threw, as the store's callers know it. */
export const asFault = (error: unknown): unknown =>
  isAway(error) ? new EventStoreAway('EventStoreDB does not answer', { cause: error }) : error;

const ignored = (): void => undefined;

/**
 * Everything that a read brings. Leaving a read early, or failing in it, ends only this side of it in the client: the
 * call itself goes on and is held until it is cancelled.
 */
const collect = async <E>(read: StreamingRead<E>): Promise<E[]> => {
  const found: E[] = [];
  read.on('error', ignored);
  const silence = setTimeout(() => read.destroy(new EventStoreAway('a read brought nothing')), silenceMaxMs);
  try {
    for await (const event of read as AsyncIterable<E>) {
      found.push(event);
      silence.refresh();
    }
    return found;
  } finally {
    clearTimeout(silence);
    if (!read.readableEnded) void read.cancel().catch(ignored);
  }
};

export type Server = Readonly<{
  client: EventStoreDBClient;
  /** Asks the leader, and asks again where another has become it. */
  ask<T>(work: (client: EventStoreDBClient) => Promise<T>): Promise<T>;
  /** At most `count` events from a revision on; none where there is no such stream. */
  readStream(name: string, from: number, count: number): Promise<readonly RecordedEvent[] | 'erased'>;
  /** At most `count` events of every stream after a position, and the one at it, where that still exists. */
  readAll(from: ServerPosition | undefined, count: number): Promise<readonly AllStreamRecordedEvent[]>;
  close(): Promise<void>;
}>;

const askLeader = async <T>(
  client: EventStoreDBClient,
  work: (client: EventStoreDBClient) => Promise<T>,
): Promise<T> => {
  for (let [notLeader, timeouts] = [0, 0]; ;) {
    try {
      return await work(client);
    } catch (error) {
      if (isKind(error, ErrorType.TIMEOUT) && ++timeouts < timeoutTriesMax) continue;
      if (!isKind(error, ErrorType.NOT_LEADER) || ++notLeader === leaderTriesMax) throw asFault(error);
      await sleep(leaderPauseMs);
    }
  }
};

const openClient = (url: string): EventStoreDBClient => {
  const client = EventStoreDBClient.connectionString(url);
  // Where the server offers batches, the client sends appends by them: without a deadline of its own, with one that
  // compares the clocks of both sides, and with a rejection that nobody can catch when the connection breaks under load.
  // Each append shall be a call of its own.
  return Object.assign(client, { supports: async () => false });
};

export const openServer = (url: string): Server => {
  const client = openClient(url);
  let isClosed = false;
  const ask: Server['ask'] = async (work) => {
    const answer = await askLeader(client, work);
    // A read that the closing of the client cut short ends as if that were all.
    if (isClosed) throw new EventStoreAway('the store was closed');
    return answer;
  };

  const readStream: Server['readStream'] = async (name, from, count) => {
    const options = { fromRevision: BigInt(from), maxCount: count, requiresLeader: true };
    try {
      const found = await ask(() => collect<ResolvedEvent>(client.readStream(name, options)));
      return found.flatMap(({ event }) => (event === undefined || event.type === placeholder ? [] : [event]));
    } catch (error) {
      if (isKind(error, ErrorType.STREAM_NOT_FOUND)) return [];
      if (isKind(error, ErrorType.STREAM_DELETED)) return 'erased';
      throw error;
    }
  };

  const readAll: Server['readAll'] = async (from, count) => {
    const options: ReadAllOptions = { fromPosition: from ?? START, maxCount: count, requiresLeader: true };
    const found = await ask(() => collect<AllStreamResolvedEvent>(client.readAll(options)));
    return found.flatMap(({ event }) => (event === undefined ? [] : [event]));
  };

  const close = async (): Promise<void> => {
    isClosed = true;
    await client.dispose();
  };
  return { client, ask, readStream, readAll, close };
};
