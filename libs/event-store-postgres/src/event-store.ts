import type { DataKeys } from '@causeway/data-keys';
import {
  appendEventsMax,
  sharedReads,
  type Append,
  type AppendOutcome,
  type Event,
  type EventStore,
  type Position,
} from '@causeway/event-sourcing';
import { giveNotice, hearNotices, sqlName, type Pool } from '@causeway/postgres';
import { appender } from './append.ts';
import { preparedQuery } from './query.ts';
import { reader } from './reader.ts';
import { outgoing } from './rows.ts';
import { startSequencer } from './sequencer.ts';

export type StoreOptions = Readonly<{
  /** Sessions of the service's role. */
  pool: Pool;
  /** The schema that `eventStoreMigrations` filled. */
  schema: string;
  dataKeys: DataKeys;
}>;

/** Appends given positions by one call. Bounds how long a call holds the sequencer's lock: some 20 ms. */
const sequenceAppendsMax = 5000;

/** Several of these, in one process or many, may work on the same schema. */
export const postgresEventStore = ({ pool, schema, dataKeys }: StoreOptions): EventStore => {
  sqlName(schema);
  const query = preparedQuery(pool, schema);
  const send = appender(query, schema);

  const sequence = async (): Promise<Position> => {
    for (;;) {
      const text = `SELECT last_position, more FROM ${schema}.sequence($1)`;
      const [row] = await query<{ last_position: Position; more: boolean }>('sequence', text, [sequenceAppendsMax]);
      if (row === undefined) throw new Error('sequence answered nothing');
      if (!row.more) return row.last_position;
    }
  };
  const sequencer = startSequencer(sequence, {
    tell: (position) => giveNotice(pool, schema, String(position)),
    hear: (heard) => hearNotices(pool, schema, (text) => heard(text === undefined ? text : (Number(text) as Position))),
  });

  const append = async <E extends Event>(append: Append<E>): Promise<AppendOutcome> => {
    const { stream, events } = append;
    if (events.length < 1 || events.length > appendEventsMax) {
      throw new RangeError(`${stream}: an append holds 1 to ${appendEventsMax} events, not ${events.length}`);
    }
    const outcome = await send(await outgoing(append, dataKeys));
    if (outcome === 'appended') sequencer.wake();
    return outcome;
  };

  const eraseStream: EventStore['eraseStream'] = async (stream, { ifWritten = false } = {}) => {
    const text = `SELECT ${schema}.erase_stream($1, $2) AS events`;
    const [row] = await query<{ events: number }>('erase_stream', text, [stream, ifWritten]);
    if (row === undefined) throw new Error('erase_stream answered nothing');
    return row.events;
  };

  const { head, changed, close } = sequencer;
  const { readStream, readAll, readStreams } = reader(query, schema, dataKeys);
  return sharedReads({ append, readStream, readAll, readStreams, head, changed, eraseStream, close });
};
