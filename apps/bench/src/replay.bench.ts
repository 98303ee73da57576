import { postgresDataKeys } from '@causeway/data-keys';
import type { LedgerEvent } from '@causeway/domain/ledger';
import { beginning, timestampOf, type Position, type Sequenced } from '@causeway/event-sourcing';
import { postgresEventStore } from '@causeway/event-store-postgres';
import type { Pool } from '@causeway/postgres';
import { addRequest, copyInto, finished, requestById } from '@causeway/projections';
import { testMasterKeys } from '@causeway/testing';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import copyStreams from 'pg-copy-streams';
import { inPairs, type Measurement } from './measurement.ts';
import { onSystem, request, seconds, untilSynced, type Bench } from './synced-system.ts';

/** Events read, and rows written, at once by the baseline; what was fastest for it here of 1,000 to 10,000. */
const batchEvents = 5000;
/** Seldom enough that a rebuild does not take it for traffic beside which it must keep to a share of the machine. */
const rebuildPollMs = 100;

/** The same events in clear, in the order of the store. */
const rawEvents = `CREATE TABLE raw_event (
  position bigint PRIMARY KEY, id uuid NOT NULL, account_id uuid NOT NULL, recorded_at timestamptz NOT NULL,
  type text NOT NULL, data json NOT NULL)`;

const copyRaw = copyInto({
  position: 'text',
  id: 'uuid',
  accountId: 'uuid',
  recordedAt: 'timestamptz',
  type: 'text',
  data: 'jsonb',
});

const writeRawEvents = async ({ pool }: Bench): Promise<number> => {
  const dataKeys = postgresDataKeys({ pool, masterKeys: testMasterKeys });
  const store = postgresEventStore({ pool, schema: 'ledger_events', dataKeys });
  await pool.query(rawEvents);
  const session = await pool.connect();
  let written = 0;
  for (let position: Position = beginning; ;) {
    const batch = await store.readAll(position, batchEvents);
    if (batch.position === position) break;
    ({ position } = batch);
    const rows = (batch.events as readonly Sequenced<LedgerEvent>[]).map((event) => ({
      position: String(event.position),
      id: event.id,
      accountId: event.stream.slice('ledger-'.length),
      recordedAt: timestampOf(event.recordedAt),
      type: event.type,
      data: event.data,
    }));
    const ledger = rows.filter((_row, i) => batch.events[i]?.stream.startsWith('ledger-'));
    await copyRaw(session, 'raw_event', ledger);
    written += ledger.length;
  }
  session.release();
  await store.close();
  await pool.query('VACUUM ANALYZE raw_event');
  return written;
};

/** From the moment the running system takes the request up until its views show the rebuilt rows. */
const rebuild = async ({ pool }: Bench, events: number): Promise<number> => {
  const { id } = await addRequest(pool, 'ledger', { name: 'transactions', kind: 'rebuild', whenReady: 'switch' });
  const state = async () => (await requestById(pool, 'ledger', id))?.state ?? 'failed';
  while ((await state()) === 'waiting') await sleep(rebuildPollMs);
  const taken = await seconds(async () => {
    for (let now = await state(); now !== 'switched'; now = await state()) {
      if (finished.includes(now)) throw new Error(`the rebuild ended as ${now}`);
      await sleep(rebuildPollMs);
    }
  });
  return events / taken;
};

const columns = `id, organization, environment, entity_id, connection_id, account_id, status, rail, sort_date, added_at,
  updated_at, event_id, removed, json`;

type Raw = Readonly<{ position: number; id: string; account_id: string; at: string; text: string }>;
type Recorded = Extract<LedgerEvent, { type: 'TransactionRecorded' }>['data'];

const special = /[\\\t\n\r]/g;
const names: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const field = (value: string | null): string =>
  value === null ? '\\N' : value.replace(special, (character) => names[character] as string);

/** One event to one line of COPY, by hand: what the fold does, and nothing that makes it a fold. */
const line = ({ id, account_id, at, text }: Raw): string => {
  const { transactionId, entityId, connectionId, status, content: c } = JSON.parse(text) as Recorded;
  const json = JSON.stringify({
    ...{ id: transactionId, connectionId, accountId: account_id, status, postedDate: c.postedDate, updatedAt: at },
    ...{ amount: c.amount, currency: c.currency, entryType: c.amount.startsWith('-') ? 'debit' : 'credit' },
    ...{ description: c.description, rail: c.rail, rawDescription: c.rawDescription },
    ...{ customerReference: c.customerReference, bankReference: c.bankReference, baiCode: c.baiCode },
    ...{ category: c.category, subcategory: c.subcategory, mcc: c.mcc, merchantName: c.merchantName },
    ...{ counterpartyName: c.counterpartyName, counterpartyAccountMasked: c.counterpartyAccountEnd },
  });
  return [
    ...[transactionId, 'demo', 'test', entityId, connectionId, account_id, status, c.rail, c.postedDate ?? 'infinity'],
    ...[at, at, id, 'f', json],
  ]
    .map(field)
    .join('\t');
};

/** The next page is read while this one is copied; every page is a transaction, as it is with us. */
const copyAll = async (pool: Pool, table: string): Promise<void> => {
  const read = async (after: number): Promise<readonly Raw[]> => {
    const text = `SELECT position, id, account_id, data::text AS text,
        to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
      FROM raw_event WHERE position > $1 AND type = 'TransactionRecorded' ORDER BY position LIMIT $2`;
    return (await pool.query<Raw>({ name: 'raw_events', text, values: [after, batchEvents] })).rows;
  };
  const session = await pool.connect();
  let reading = read(0);
  for (let rows = await reading; rows.length > 0; rows = await reading) {
    reading = read(rows.at(-1)?.position ?? 0);
    const data = Buffer.from(`${rows.map(line).join('\n')}\n`);
    await pipeline(Readable.from([data]), session.query(copyStreams.from(`COPY ${table} (${columns}) FROM STDIN`)));
  }
  session.release();
};

const baseline = async ({ pool }: Bench, events: number): Promise<number> => {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT format('ledger.transactions_v%s_g%s', version, generation) AS name
       FROM ledger.projection WHERE name = 'transactions' AND live`,
  );
  await pool.query('DROP TABLE IF EXISTS raw_transactions');
  await pool.query(`CREATE TABLE raw_transactions (LIKE ${rows[0]?.name} INCLUDING ALL)`);
  await pool.query('CHECKPOINT');
  return events / (await seconds(() => copyAll(pool, 'raw_transactions')));
};

/** P8. Ours reads ciphertext, keeps a checkpoint and serves meanwhile; the baseline has the events in clear. */
export const replayBench: Measurement = {
  id: 'P8',
  name: 'rebuild of the transactions / read, parse and COPY of the same events in clear',
  unit: 'events/s',
  target: 0.5,
  floor: 0.3,
  run: ({ rows, pairs, databaseUrl }) =>
    onSystem({ rows, serverUrl: databaseUrl, name: 'bench_replay' }, async (bench) => {
      const { id } = await request(bench.system, 'POST', '/v1/connections', { institutionId: 'sandbox-large' });
      await untilSynced(bench.system, id as string, undefined);
      const events = await writeRawEvents(bench);
      return inPairs(pairs, { ours: () => rebuild(bench, events), baseline: () => baseline(bench, events) });
    }),
};
