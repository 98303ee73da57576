import { dataKeyMigrations, connectionKeysSchema, postgresDataKeys, type DataKeys } from '@causeway/data-keys';
import type { Append, EventStore, Revision, StreamName } from '@causeway/event-sourcing';
import { eventStoreMigrations, postgresEventStore } from '@causeway/event-store-postgres';
import { migrate, openPool, type Pool } from '@causeway/postgres';
import { randomUUID } from 'node:crypto';
import { inPairs, type Measurement } from './measurement.ts';

const clients = 32;
const schema = 'bench_events';
const role = 'causeway_bench';
/** Of each side before it is timed: plans are made, pages and connections are there. */
const warmUpEvents = 20_000;
/** How far the sequencer may be behind when the last append is answered. */
const behindMaxMs = 1000;

const metadata = {
  correlationId: '0198c5a0-0000-7000-8000-000000000001',
  causationId: '0198c5a0-0000-7000-8000-000000000002',
  organization: '0198c5a0-0000-7000-8000-000000000003',
  environment: 'live',
} as const;

/** A transaction of some 500 bytes, as the ledger records it. */
const transaction = {
  type: 'TransactionRecorded',
  data: {
    transactionId: '0198c5a0-0000-5000-8000-000000000004',
    amount: { value: '-1234.56', currency: 'EUR' },
    bookingDate: '2026-03-02',
    valueDate: '2026-03-02',
    counterparty: { name: 'Example Energy Supplies GmbH', iban: 'DE89370400440532013000' },
    description: 'Invoice 2026-0381, customer 48213, electricity for February, with thanks. '.repeat(3),
    bankReference: 'SCT20260302-000000000381',
  },
};

/** The identically indexed table, and the row in one prepared call: no version check, no order. */
const rawTable = `CREATE TABLE raw_append (LIKE ${schema}.append INCLUDING ALL)`;
const rawInsert = {
  name: 'raw_append',
  text: `INSERT INTO raw_append (stream, last_revision, event_count, data_key, event_ids, metadata, payload)
         VALUES ($1, $2, 1, $3, $4, $5, $6)`,
};

/** Runs `append` for one client after another's, `clients` at a time; events per second. */
const rate = async (
  events: number,
  append: (stream: StreamName, revision: number) => Promise<void>,
): Promise<number> => {
  const each = Math.ceil(events / clients);
  const begun = performance.now();
  const client = async (): Promise<void> => {
    const stream: StreamName = `ledger-${randomUUID()}`;
    for (let revision = 0; revision < each; revision++) await append(stream, revision);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (each * clients) / ((performance.now() - begun) / 1000);
};

type Sides = Readonly<{ store: EventStore; pool: Pool; connection: string; ciphertext: Buffer; events: number }>;

const ours = async ({ store, connection, events }: Sides): Promise<number> => {
  const perSecond = await rate(events, async (stream, revision) => {
    const expected = revision === 0 ? 'no-stream' : ((revision - 1) as Revision);
    const append: Append = {
      stream,
      expected,
      events: [{ ...transaction, id: randomUUID() }],
      metadata,
      dataKey: connection,
    };
    if ((await store.append(append)) !== 'appended') throw new Error(`${stream}: a conflict nobody caused`);
  });
  const answered = performance.now();
  await store.head();
  const behindMs = performance.now() - answered;
  if (behindMs > behindMaxMs) throw new Error(`the sequencer is ${behindMs.toFixed(0)} ms behind`);
  return perSecond;
};

const baseline = ({ pool, connection, ciphertext, events }: Sides): Promise<number> =>
  rate(events, async (stream, revision) => {
    const values = [stream, revision, connection, `{${randomUUID()}}`, JSON.stringify(metadata), ciphertext];
    await pool.query({ ...rawInsert, values });
  });

/** P7. The ciphertext is made once for both sides; the sequencer runs beside ours. */
export const appendBench: Measurement = {
  id: 'P7',
  name: 'Append: one event, 32 clients, version check and global order',
  unit: 'events/s',
  target: 0.85,
  floor: 0.6,
  async run({ rows, pairs, databaseUrl }) {
    await migrate(databaseUrl, schema, eventStoreMigrations(schema, role));
    await migrate(databaseUrl, connectionKeysSchema, dataKeyMigrations({ owner: role, readers: [] }));
    // One connection more than clients: the sequencer works beside them.
    const pool = openPool({
      url: databaseUrl,
      applicationName: 'bench',
      connectionsMax: clients + 1,
      statementMaxMs: 3_600_000,
    });
    const keys = postgresDataKeys({ pool, masterKeys: [{ id: '1', key: Buffer.alloc(32, 1) }] });
    const connection = randomUUID();
    await keys.create(connection, { organization: 'demo', environment: 'test' });
    const ciphertext = await keys.encrypt(connection, Buffer.from(JSON.stringify([transaction])), 'bench');
    const prepared: DataKeys = { ...keys, encrypt: () => Promise.resolve(ciphertext) };
    const store = postgresEventStore({ pool, schema, dataKeys: prepared });
    const sides: Sides = { store, pool, connection, ciphertext, events: Math.ceil(rows / pairs) };
    try {
      await pool.query(rawTable);
      const few = { ...sides, events: Math.min(sides.events, warmUpEvents) };
      await inPairs(1, { ours: () => ours(few), baseline: () => baseline(few) });
      return await inPairs(pairs, { ours: () => ours(sides), baseline: () => baseline(sides) });
    } finally {
      await store.close();
      await pool.end();
    }
  },
};
