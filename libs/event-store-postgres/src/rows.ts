import type { DataKeys } from '@causeway/data-keys';
import type { Append, Event, Metadata, StreamName } from '@causeway/event-sourcing';
import { isAscii } from 'node:buffer';

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

const foreign = /[\u0080-\uffff]+/g;
const asEscapes = (text: string): string =>
  text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * JSON in ASCII alone. One character beyond Latin-1 anywhere makes two bytes of every character of a text while it is
 * in memory, and its conversion to and from UTF-8 the slow one: some 5 µs for each event of a first sync.
 */
const asciiJson = (value: unknown): Buffer => {
  const escapes = new Map<string, string>();
  const text = JSON.stringify(value).replace(foreign, (found) => {
    const known = escapes.get(found) ?? asEscapes(found);
    escapes.set(found, known);
    return known;
  });
  return Buffer.from(text, 'latin1');
};

const parsed = (json: Buffer): unknown => JSON.parse(json.toString(isAscii(json) ? 'latin1' : 'utf8'));

export const outgoing = async (
  { stream, expected, events, metadata, dataKey }: Append,
  dataKeys: DataKeys,
): Promise<Outgoing> => {
  const at = expected === 'no-stream' ? -1 : expected;
  const plain = asciiJson(events.map(({ type, data }) => ({ type, data })));
  const payload = dataKey === null ? plain : await dataKeys.encrypt(dataKey, plain, contextOf(stream, at + 1));
  const eventIds = events.map(({ id }) => id);
  return { stream, expected: at, eventIds, dataKey, metadata: JSON.stringify(metadata), payload };
};

/** What an append holds, event by event from `firstRevision` on; nothing when its data key was destroyed. */
export type Opened = Readonly<{ firstRevision: number; ids: readonly string[]; events: readonly Event[] }>;

export const opened = async (row: AppendRow, dataKeys: DataKeys): Promise<Opened> => {
  const firstRevision = row.last_revision - row.event_count + 1;
  const payload = Buffer.from(row.payload, 'base64');
  const context = contextOf(row.stream, firstRevision);
  const plain = row.data_key === null ? payload : await dataKeys.decrypt(row.data_key, payload, context);
  const ids = row.event_ids.slice(1, -1).split(',');
  return { firstRevision, ids, events: plain === undefined ? [] : (parsed(plain) as readonly Event[]) };
};
