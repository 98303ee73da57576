import { randomUUID } from 'node:crypto';
import type { Append, EventStore } from '../event-store.ts';
import { beginning, type Position, type Revision, type Sequenced, type StreamName } from '../event.ts';

/** An empty store, as a suite needs it. */
export type StoreUnderTest = Readonly<{
  store: EventStore;
  /** The same store as another process opens it. The caller closes it. */
  another(): EventStore;
  /** A connection that has a data key. */
  newConnection(): Promise<string>;
  /** The key is gone in every process, and no longer remembered. */
  destroyDataKey(connectionId: string): Promise<unknown>;
  /** Closes the store and what is below it. */
  close(): Promise<void>;
}>;

const metadata = {
  correlationId: 'request-1',
  causationId: 'command-1',
  organization: 'o-1',
  environment: 'test',
} as const;

export const newStream = (): StreamName => `thing-${randomUUID()}`;

/** `count` events numbered from the revision they go to. */
export const numbered = (stream: StreamName, first: number, count = 1, dataKey: string | null = null): Append => ({
  stream,
  expected: first === 0 ? 'no-stream' : ((first - 1) as Revision),
  events: Array.from({ length: count }, (_, i) => ({ id: randomUUID(), type: 'Counted', data: { n: first + i } })),
  metadata,
  dataKey,
});

/** Everything after a position, batch by batch, as a subscription reads it. */
export const readToHead = async (store: EventStore, after: Position = beginning, limit = 500): Promise<Sequenced[]> => {
  const head = await store.head();
  const found: Sequenced[] = [];
  for (let position = after; position < head;) {
    const batch = await store.readAll(position, limit);
    if (batch.position <= position) throw new Error(`no batch moves past ${position}, yet the head is ${head}`);
    found.push(...batch.events);
    position = batch.position;
  }
  return found;
};

/** What is wrong with a stretch of the total order that starts at the beginning, whoever wrote it how. */
export const orderFaults = (events: readonly Sequenced[]): string[] => {
  const revisions = new Map<StreamName, number>();
  const faults: string[] = [];
  let previous: Sequenced | undefined;
  for (const event of events) {
    const { stream, revision, position, recordedAt } = event;
    if (position !== (previous?.position ?? 0) + 1) faults.push(`${position} follows ${previous?.position}`);
    if (previous && recordedAt <= previous.recordedAt) faults.push(`${position} is not later than its predecessor`);
    if (revision !== (revisions.get(stream) ?? -1) + 1) faults.push(`${stream}@${revision} is out of order`);
    revisions.set(stream, revision);
    previous = event;
  }
  return faults;
};
