import { CipherRefused, pack, unpack, type DataKeys } from '@causeway/data-keys';
import { unreadable, type Append, type Event, type Metadata, type StreamName } from '@causeway/event-sourcing';

/** One append as it is read. */
export type AppendRow = Readonly<{
  stream: StreamName;
  last_revision: number;
  event_count: number;
  event_ids: string;
  data_key: string | null;
  metadata: Metadata;
  payload: string;
}>;

/** Bytes as base64 and ids as one text: a third of what pg's hexadecimal and its parser of arrays cost. */
export const appendColumns = `a.event_ids::text AS event_ids, a.data_key, a.metadata,
       encode(a.payload, 'base64') AS payload`;

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
  const context = contextOf(stream, at + 1);
  const payload = await (dataKey === null ? pack(plain) : dataKeys.encrypt(dataKey, plain, context));
  const eventIds = events.map(({ id }) => id);
  return { stream, expected: at, eventIds, dataKey, metadata: JSON.stringify(metadata), payload };
};

/** What an append holds, event by event from `firstRevision` on; nothing when its data key was destroyed. */
export type Opened = Readonly<{ firstRevision: number; ids: readonly string[]; events: readonly Event[] }>;

const placeOf = (row: AppendRow): Omit<Opened, 'events'> => ({
  firstRevision: row.last_revision - row.event_count + 1,
  ids: row.event_ids.slice(1, -1).split(','),
});

export const opened = async (row: AppendRow, dataKeys: DataKeys): Promise<Opened> => {
  const place = placeOf(row);
  const payload = Buffer.from(row.payload, 'base64');
  const context = contextOf(row.stream, place.firstRevision);
  const plain = await (row.data_key === null ? unpack(payload) : dataKeys.decrypt(row.data_key, payload, context));
  return { ...place, events: plain === undefined ? [] : (JSON.parse(plain.toString()) as readonly Event[]) };
};

/** The same; of an append that does not decrypt, so many `unreadable` ones. */
export const openedOrNot = (row: AppendRow, dataKeys: DataKeys): Promise<Opened> =>
  opened(row, dataKeys).catch((error: unknown) => {
    if (!(error instanceof CipherRefused)) throw error;
    return { ...placeOf(row), events: Array.from({ length: row.event_count }, () => unreadable) };
  });
