declare const brand: unique symbol;
type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** `<category>-<id>`: the events of one aggregate. */
export type StreamName = `${string}-${string}`;
/** 0-based place of an event in its own stream. No gaps. */
export type Revision = Brand<number, 'Revision'>;
/** 1-based place of an event in the whole store, in the order in which subscriptions see it. No gaps. 0: before the first. */
export type Position = Brand<number, 'Position'>;
/** Microseconds since 1970, UTC. Strictly increasing along positions; given once and stored, never recomputed. */
export type RecordedAt = Brand<number, 'RecordedAt'>;

export const beginning = 0 as Position;

export type Event = Readonly<{ type: string; data: object }>;

/** In place of one that does not decrypt, to subscriptions: its stream is parked, and others do not wait. Never stored. */
export const unreadable: Event = { type: 'Unreadable', data: {} };

/** `id`: a UUID of the writer's choice. Appending the same ids again at the same place stores nothing. */
export type NewEvent<E extends Event = Event> = E & Readonly<{ id: string }>;

/** What led to the events of one append, and whose they are. Null organization: the service's own business. */
export type Metadata = Readonly<{
  correlationId: string;
  causationId: string;
  organization: string | null;
  environment: 'live' | 'test' | null;
  /** The sync run that brought these events, for events that a run brought. */
  runId?: string;
  /** Where the page that brought them stands among all pages of its connection. */
  place?: number;
}>;

/** An event as its stream holds it. */
export type Recorded<E extends Event = Event> = NewEvent<E> &
  Readonly<{ stream: StreamName; revision: Revision; metadata: Metadata }>;

/** An event as subscriptions see it: with its place and time in the whole store. */
export type Sequenced<E extends Event = Event> = Recorded<E> & Readonly<{ position: Position; recordedAt: RecordedAt }>;

let lastMs = 0;
let lastMsText = new Date(lastMs).toISOString().slice(0, 23);

/**
 * `YYYY-MM-DDTHH:MM:SS.ffffffZ`. The events of one append are a microsecond apart, so that most share their millisecond
 * with the one before; writing it out each time was 1 % of a first sync.
 */
export const timestampOf = (recordedAt: RecordedAt): string => {
  const micros = recordedAt % 1000;
  const ms = (recordedAt - micros) / 1000;
  if (ms !== lastMs) {
    lastMsText = new Date(ms).toISOString().slice(0, 23);
    lastMs = ms;
  }
  return `${lastMsText}${String(micros).padStart(3, '0')}Z`;
};

export const categoryOf = (stream: StreamName): string => stream.slice(0, stream.indexOf('-'));
export const idOf = (stream: StreamName): string => stream.slice(stream.indexOf('-') + 1);
