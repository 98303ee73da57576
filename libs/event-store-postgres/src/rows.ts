import type { DataKeys } from '@causeway/data-keys';
import type { Append, Event, Metadata, Recorded, Revision, StreamName } from '@causeway/event-sourcing';

/** One append as the table holds it. `event_ids` as text: splitting it is many times faster than parsing an array. */
export type AppendRow = Readonly<{
  stream: StreamName;
  last_revision: number;
  event_ids: string;
  data_key: string | null;
  metadata: Metadata;
  payload: Buffer;
}>;

export const appendColumns = 'a.event_ids::text AS event_ids, a.data_key, a.metadata, a.payload';

/** Ties a ciphertext to its place: moved to another stream or revision, it does not decrypt. */
const contextOf = (stream: StreamName, firstRevision: number): string => `${stream}@${firstRevision}`;

/** An append as it is sent. */
export type Outgoing = Readonly<{
  stream: StreamName;
  /** -1: no stream. */
  expected: number;
  eventIds: readonly string[];
  dataKey: string | null;
  /** JSON. */
  metadata: string;
  payload: Buffer;
}>;

export const outgoing = async (
  { stream, expected, events, metadata, dataKey }: Append,
  dataKeys: DataKeys,
): Promise<Outgoing> => {
  const at = expected === 'no-stream' ? -1 : expected;
  const plain = Buffer.from(JSON.stringify(events.map(({ type, data }) => ({ type, data }))));
  const payload = dataKey === null ? plain : await dataKeys.encrypt(dataKey, plain, contextOf(stream, at + 1));
  const eventIds = events.map(({ id }) => id);
  return { stream, expected: at, eventIds, dataKey, metadata: JSON.stringify(metadata), payload };
};

/** The events of an append; none when its data key was destroyed. */
export const eventsOf = async <E extends Event>(
  row: AppendRow,
  dataKeys: DataKeys,
): Promise<readonly Recorded<E>[]> => {
  const { stream, metadata } = row;
  const ids = row.event_ids.slice(1, -1).split(',');
  const first = row.last_revision - ids.length + 1;
  const plain =
    row.data_key === null ? row.payload : await dataKeys.decrypt(row.data_key, row.payload, contextOf(stream, first));
  if (plain === undefined) return [];
  const events = JSON.parse(plain.toString()) as readonly E[];
  return events.map((event, i) => ({
    ...event,
    id: ids[i] as string,
    stream,
    revision: (first + i) as Revision,
    metadata,
  }));
};
