import type { DataKeys } from '@causeway/data-keys';
import {
  appendEventsMax,
  sharedReads,
  StreamErased,
  type Append,
  type AppendOutcome,
  type Event,
  type EventStore,
  type StreamName,
} from '@causeway/event-sourcing';
import type { StoreOptions } from '@causeway/event-store-postgres';
import { sqlName } from '@causeway/postgres';
import { ANY, ErrorType, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { placeholder, toServer } from './held.ts';
import { orderIn } from './order.ts';
import { reader } from './reader.ts';
import { startSequencer } from './sequencer.ts';
import { EventStoreAway, isKind, openServer, type Server } from './server.ts';

/** `schema`: the one that `eventStoreDbMigrations` filled. */
type Options = StoreOptions &
  Readonly<{
    /** `esdb://user:password@host:2113?tls=true`, or `esdb+discover://…`: the client's connection string. */
    url: string;
    /** What the names of the service's streams begin with on the server, before a point. Nobody else's do. */
    namespace: string;
  }>;

const appendIn =
  (server: Server, prefix: string, dataKeys: DataKeys): EventStore['append'] =>
  async <E extends Event>(append: Append<E>): Promise<AppendOutcome> => {
    const { stream, expected, events } = append;
    if (events.length < 1 || events.length > appendEventsMax) {
      throw new RangeError(`${stream}: an append holds 1 to ${appendEventsMax} events, not ${events.length}`);
    }
    const data = await toServer(append, dataKeys);
    const expectedRevision = expected === 'no-stream' ? NO_STREAM : BigInt(expected);
    const options = { expectedRevision, requiresLeader: true } as const;
    try {
      const { success } = await server.ask((client) => client.appendToStream(prefix + stream, data, options));
      return success ? 'appended' : 'conflict';
    } catch (error) {
      if (isKind(error, ErrorType.WRONG_EXPECTED_VERSION)) return 'conflict';
      if (!isKind(error, ErrorType.STREAM_DELETED)) throw error;
      // Who expects events learns by reading again that there are none.
      if (expected !== 'no-stream') return 'conflict';
      throw new StreamErased(stream, { cause: error });
    }
  };

/**
 * A tombstone alone does not outlast a restart of the server: its index of names knows only streams that had a first
 * event, and would take one again.
 */
const holdPlace = async (server: Server, name: string): Promise<void> => {
  const event = jsonEvent({ type: placeholder, data: {} });
  const options = { expectedRevision: NO_STREAM, requiresLeader: true } as const;
  try {
    await server.ask((client) => client.appendToStream(name, event, options));
  } catch (error) {
    const isThere = [ErrorType.WRONG_EXPECTED_VERSION, ErrorType.STREAM_DELETED].some((kind) => isKind(error, kind));
    if (!isThere) throw error;
  }
};

/**
 * What is deleted this way can be read no more, neither from its stream nor through this store. Its bytes leave the disk
 * with the server's next scavenge.
 */
const eraseIn =
  (server: Server, prefix: string) =>
  async (stream: StreamName, ifWritten: boolean): Promise<void> => {
    const name = prefix + stream;
    if (ifWritten && (await server.readStream(name, 0, 1)).length === 0) return;
    const options = { expectedRevision: ANY, requiresLeader: true } as const;
    await holdPlace(server, name);
    try {
      await server.ask((client) => client.tombstoneStream(name, options));
    } catch (error) {
      if (!isKind(error, ErrorType.STREAM_DELETED)) throw error;
      // Writers are told so as soon as the leader has it; readers, and with them the loss of a leader, come later.
      if ((await server.readStream(name, 0, 1)) !== 'erased') {
        throw new EventStoreAway(`the deletion of ${name} is not settled yet`, { cause: error });
      }
    }
  };

/** Several of these, in one process or many, may work on the same namespace and schema. */
export const eventStoreDb = ({ url, namespace, pool, schema, dataKeys }: Options): EventStore => {
  sqlName(schema);
  const prefix = `${namespace}.`;
  const server = openServer(url);
  const order = orderIn(pool, schema);
  const { head, changed, close: stop } = startSequencer({ server, order, prefix });
  const close = async (): Promise<void> => {
    await stop();
    await server.close();
  };
  const erase = eraseIn(server, prefix);
  // What was given a place keeps it: how much there was can be told once the server no longer can.
  const eraseStream: EventStore['eraseStream'] = async (stream, { ifWritten = false } = {}) => {
    await erase(stream, ifWritten);
    await head();
    return order.eventsOf(stream);
  };
  return sharedReads({
    ...{ append: appendIn(server, prefix, dataKeys), eraseStream },
    ...reader({ server, order, prefix, dataKeys }),
    ...{ head, changed, close },
  });
};
