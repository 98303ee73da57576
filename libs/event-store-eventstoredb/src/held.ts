import { CipherRefused, type DataKeys } from '@causeway/data-keys';
import {
  unreadable,
  type Append,
  type Event,
  type Metadata,
  type NewEvent,
  type Recorded,
  type Revision,
  type StreamName,
} from '@causeway/event-sourcing';
import { binaryEvent, jsonEvent, type EventData, type RecordedEvent } from '@eventstore/db-client';
import { v5 as uuidV5 } from 'uuid';

/** Where an event stands in the append that brought it. */
type Place = Readonly<{ index: number; count: number }>;

/**
 * What the metadata of an append's first event says for all of them. By the server's own names for what led to an event,
 * its projections find it. `id`: the first event's own, where the server knows it by another.
 */
type Held = Place &
  Readonly<{
    $correlationId: string;
    $causationId: string;
    organization: string | null;
    environment: 'live' | 'test' | null;
    runId?: string;
    place?: number;
    dataKey: string | null;
    id: string;
  }>;

/** The type of what is written into a stream that never had an event, before it is deleted for good: see `eraseIn`. */
export const placeholder = 'PlaceHeld';

/** Ties a ciphertext to its place: moved to another stream or revision, it does not decrypt. */
const contextOf = (stream: StreamName, firstRevision: number): string => `${stream}@${firstRevision}`;

/**
 * The server takes a part of what it has stored for a repetition of it: the same ids in the same place, and fewer. So an
 * append of several goes by an id, its first event's, that is made of all of theirs.
 */
const firstIdOf = ([first, ...others]: readonly NewEvent[]): string => {
  if (first === undefined || others.length === 0) return first?.id ?? '';
  const namespace = Buffer.from(first.id.replaceAll('-', ''), 'hex');
  return uuidV5(others.map(({ id }) => id.toLowerCase()).join(), namespace);
};

/** The server ends a call in which it finds another, and names none. */
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * One event for each. Under a data key, the first carries one ciphertext for all, and the others nothing but their type:
 * compressed together they fit in what a server takes of one append unless told otherwise (1 MiB).
 */
export const toServer = async (append: Append, dataKeys: DataKeys): Promise<EventData[]> => {
  const { stream, expected, events, metadata, dataKey } = append;
  const bad = events.find(({ id }) => !uuid.test(id));
  if (bad !== undefined) throw new TypeError(`${stream}: ${bad.id} is no UUID`);
  const { correlationId, causationId, ...whose } = metadata;
  const count = events.length;
  const led = { $correlationId: correlationId, $causationId: causationId, ...whose };
  const held = (index: number): Place | Held =>
    index === 0 ? { index, count, ...led, dataKey, id: events[0]?.id ?? '' } : { index, count };
  const idAt = (index: number, id: string): string => (index === 0 ? firstIdOf(events) : id);
  if (dataKey === null) {
    return events.map(({ id, type, data }, i) =>
      jsonEvent({ id: idAt(i, id), type, data: data as Record<string, unknown>, metadata: held(i) }),
    );
  }
  const plain = Buffer.from(JSON.stringify(events.map(({ data }) => data)));
  const context = contextOf(stream, expected === 'no-stream' ? 0 : expected + 1);
  const payload = await dataKeys.encrypt(dataKey, plain, context);
  return events.map(({ id, type }, i) =>
    binaryEvent({ id: idAt(i, id), type, data: i === 0 ? payload : Buffer.alloc(0), metadata: held(i) }),
  );
};

/** An event that something else wrote into a stream of ours counts as an append of its own. */
export const placeOf = ({ metadata }: Pick<RecordedEvent, 'metadata'>): Place => {
  const { index, count } = (metadata ?? {}) as Partial<Held>;
  return Number.isInteger(index) && Number.isInteger(count) ? { index: index!, count: count! } : { index: 0, count: 1 };
};

const metadataOf = (held: Partial<Held>): Metadata => {
  const { $correlationId = '', $causationId = '', organization = null, environment = null, runId, place } = held;
  const metadata = { correlationId: $correlationId, causationId: $causationId, organization, environment };
  return { ...metadata, ...(runId !== undefined && { runId }), ...(place !== undefined && { place }) };
};

const recorded = (
  stream: StreamName,
  events: readonly RecordedEvent[],
  said: (event: RecordedEvent, index: number) => Event,
): readonly Recorded[] => {
  const held = (events[0]?.metadata ?? {}) as Partial<Held>;
  const metadata = metadataOf(held);
  return events.map((event, i) => {
    const { type, data } = said(event, i);
    const revision = Number(event.revision) as Revision;
    return { id: i === 0 ? (held.id ?? event.id) : event.id, type, data, stream, revision, metadata };
  });
};

/** The events of one append, all of them given; none when its data key was destroyed. */
export const fromServer = async (
  stream: StreamName,
  events: readonly RecordedEvent[],
  dataKeys: DataKeys,
): Promise<readonly Recorded[]> => {
  const [first] = events;
  if (first === undefined) return [];
  const { dataKey } = (first.metadata ?? {}) as Partial<Held>;
  if (!dataKey) return recorded(stream, events, ({ type, data }) => ({ type, data: data as Event['data'] }));
  const payload = Buffer.from(first.data as Uint8Array);
  const plain = await dataKeys.decrypt(dataKey, payload, contextOf(stream, Number(first.revision)));
  if (plain === undefined) return [];
  const datas = JSON.parse(plain.toString()) as Event['data'][];
  return recorded(stream, events, ({ type }, i) => ({ type, data: datas[i] ?? {} }));
};

/** The same; of an append that does not decrypt, so many `unreadable` ones. */
export const fromServerOrNot: typeof fromServer = (stream, events, dataKeys) =>
  fromServer(stream, events, dataKeys).catch((error: unknown) => {
    if (!(error instanceof CipherRefused)) throw error;
    return recorded(stream, events, () => unreadable);
  });
