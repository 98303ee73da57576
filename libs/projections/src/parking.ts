import {
  accept,
  categoryOf,
  commandHandler,
  idOf,
  type Event,
  type EventStore,
  type Position,
  type Revision,
  type Sequenced,
  type StreamName,
} from '@causeway/event-sourcing';
import { randomUUID } from 'node:crypto';

/**
 * Stream `parking-<stream>`, in clear: that a projection holds the events of the stream back from a revision on, and that
 * they are to be folded after all, as if they had come with the second of these. If they still cannot be, another
 * `StreamParked` follows. These names and shapes are on disk for good.
 */
export type ParkingEvent =
  | { type: 'StreamParked'; data: { projection: string; version: number; revision: Revision; reason: string } }
  | { type: 'StreamMended'; data: { projection: string; version: number } };

/** Kept for good: each generation holds back what the live one did, and brings it up where that did. */
export type Parking = {
  readonly stream: StreamName;
  readonly from: Revision;
  /** The last revision held back by now. */
  through: Revision;
  /** The newest mend that failed, or what could not be folded: a mend up to here has no effect. */
  readonly triedAt: Position;
  mendedAt: Position | null;
};

/** By stream, in the order of revisions. */
export type Parkings = ReadonlyMap<StreamName, readonly Parking[]>;

const category = 'parking';
export const parkingStream = (stream: StreamName): StreamName => `${category}-${stream}`;
export const isParkingEvent = ({ stream }: Pick<Sequenced, 'stream'>): boolean => stream.startsWith(`${category}-`);

/** What holds an event back. */
export const parkingOf = (parkings: Parkings, event: Sequenced): Parking | undefined => {
  const last = parkings.get(event.stream)?.findLast(({ from }) => from <= event.revision);
  return last && (last.mendedAt === null || event.position < last.mendedAt) ? last : undefined;
};

/** Whether the projection of this name is to try again what it holds back of the stream that the event's is named by. */
export const isMendOf = (name: string, { type, data, stream }: Sequenced): boolean =>
  categoryOf(stream) === category && type === 'StreamMended' && (data as ParkingEvent['data']).projection === name;

/** What an event of a `parking-` stream ends for the projection of a name. */
export const endedBy = (parkings: Parkings, name: string, event: Sequenced): Parking | undefined => {
  const { stream, position } = event;
  if (!isMendOf(name, event)) return undefined;
  return parkings
    .get(idOf(stream) as StreamName)
    ?.find(({ triedAt, mendedAt }) => mendedAt === position || (mendedAt === null && triedAt < position));
};

/** Of a stream of another's, so that neither its writers nor its erasure have to know. Nobody's: no tenant did it. */
export const recordParking = async (store: EventStore, stream: StreamName, event: ParkingEvent): Promise<void> => {
  const record = commandHandler<null, ParkingEvent, ParkingEvent, never>(
    store,
    { initial: null, evolve: () => null, decide: (_state, wanted) => accept(wanted) },
    { streamOf: () => parkingStream(stream), newId: randomUUID },
  );
  const cause = randomUUID();
  const metadata = { correlationId: cause, causationId: cause, organization: null, environment: null };
  await record(event, { metadata });
};

/** Has its projection try again. */
export const mendParked = (
  store: EventStore,
  { projection, stream, version }: Readonly<{ projection: string; stream: StreamName; version: number }>,
): Promise<void> => recordParking(store, stream, { type: 'StreamMended', data: { projection, version } });

const sqlState = /^[0-9A-Z]{5}$/;

/** Why an event cannot be folded. What the error says of it may quote the bank's data, so that it is not told. */
export const reasonOf = (event: Event, error: unknown): string => {
  const { code } = error as { code?: unknown };
  const name = error instanceof Error ? error.name : 'an error';
  const why = typeof code === 'string' && sqlState.test(code) ? `database error ${code}` : name;
  return event.type === 'StreamMended' ? `still cannot be folded: ${why}` : `${event.type} cannot be folded: ${why}`;
};
