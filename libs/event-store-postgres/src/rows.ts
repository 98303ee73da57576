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

export const firstRevisionOf = ({ expected }: Pick<Append, 'expected'>): number =>
  expected === 'no-stream' ? 0 : expected + 1;

export const payloadOf = async (append: Append, dataKeys: DataKeys): Promise<Buffer> => {
  const plain = Buffer.from(JSON.stringify(append.events.map(({ type, data }) => ({ type, data }))));
  if (append.dataKey === null) return plain;
  return dataKeys.encrypt(append.dataKey, plain, contextOf(append.stream, firstRevisionOf(append)));
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
