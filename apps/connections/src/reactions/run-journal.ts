import { contextOfPart } from '@causeway/contracts';
import type { DataKeys } from '@causeway/data-keys';
import type { PageRange, SyncRunEvent } from '@causeway/domain/connections';
import type { EventStore, Metadata, NewEvent, Recorded, Revision, StreamName } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import { v5 as uuidV5 } from 'uuid';
import type { KeptPage, KeptPages } from './kept-pages.ts';

export type Run = Readonly<{
  runId: string;
  /** Counts the runs of the connection, from 1. */
  number: number;
  connectionId: string;
  entityId: string;
  connector: string;
  metadata: Metadata;
}>;

export type Page = Readonly<{
  accountId: string;
  currency: string;
  range: PageRange;
  bankDay: string;
  sha256: string;
  parts: readonly Buffer[];
}>;

/** The run's own stream, and the note of how far it is dealt with. One writer; a second one is turned away. */
export type RunJournal = Readonly<{
  /** Nothing more is to be fetched. */
  isFetched(): boolean;
  /** Pages sent on so far, those before a crash included. */
  pages(): number;
  /** Bytes of all whole pages so far, as they cross the bus. */
  sentBytes(): number;
  add(page: Page): Promise<void>;
  /** `lent`: what the bank gets back once all is booked. */
  finish(
    fetched: Readonly<{ accountIds: readonly string[]; fetchedAt: string; lent: readonly string[] }>,
  ): Promise<void>;
}>;

/** Another process works on the same run. */
export class RunTaken extends Error {}

type Parts = Readonly<{ pool: Pool; store: EventStore; dataKeys: DataKeys; kept: KeptPages }>;
type StatementReceived = Extract<SyncRunEvent, { type: 'StatementReceived' }>;

/** Some 8 MB of ciphertext: what one append holds in memory and in one row. */
const appendPartsMax = 16;

/** Pages noted by one commit. A crash costs no more than reading them again: they are in the stream. */
const unnotedMax = 8;

/**
 * Takes a run up where it was left: pages that were appended but not noted as kept are noted now. `throwIfLost`: whether
 * the run is still this worker's.
 */
export const openJournal = async (parts: Parts, run: Run, throwIfLost: () => void): Promise<RunJournal> => {
  const { pool, store, dataKeys, kept } = parts;
  const stream: StreamName = `sync-${run.runId}`;
  const known = await progressOf(pool, run);
  const tail = await store.readStream<SyncRunEvent>(stream, { after: known.revision });
  const unnoted = tail.filter(isPageEnd).map(keptFrom);
  let revision = tail.at(-1)?.revision ?? known.revision;
  let nextPage = Math.max(known.pages, ...tail.map((event) => (isPart(event) ? event.data.page + 1 : 0)));
  let fetched = tail.some((event) => event.type === 'SyncFetched');
  let [wholePages, sentBytes] = [known.wholePages, known.sentBytes + bytesOfWholePages(tail)];
  const note = async (): Promise<void> => {
    wholePages += unnoted.length;
    if (unnoted.length > 0) await kept.keep(run, unnoted.splice(0), { revision, sentBytes });
  };
  await note();

  const append = async (events: readonly NewEvent<SyncRunEvent>[]): Promise<void> => {
    const expected = revision < 0 ? 'no-stream' : revision;
    throwIfLost();
    const outcome = await store.append({ stream, expected, events, metadata: run.metadata, dataKey: null });
    if (outcome === 'conflict') throw new RunTaken(`${stream} is not at ${revision} any more`);
    revision = (revision + events.length) as Revision;
  };

  return {
    isFetched: () => fetched,
    pages: () => nextPage,
    sentBytes: () => sentBytes,
    add: async (page) => {
      const number = nextPage++;
      sentBytes += await appendPage(append, (first) => receivedSlice(dataKeys, run, page, { number, first }));
      unnoted.push(keptAs(number, page));
      if (unnoted.length >= unnotedMax) await note();
    },
    finish: async ({ accountIds, fetchedAt, lent }) => {
      await note();
      await pool.query('UPDATE connections.sync_run SET lent = $2 WHERE run_id = $1', [run.runId, lent]);
      await append([fetchedEvent(run, { accountIds, pages: wholePages, fetchedAt })]);
      fetched = true;
    },
  };
};

type Slice = readonly NewEvent<StatementReceived>[];

/** Resolves to the bytes of the page as they cross the bus. */
const appendPage = async (
  append: (slice: Slice) => Promise<void>,
  sliceFrom: (first: number) => Promise<Slice>,
): Promise<number> => {
  let bytes = 0;
  for (let first = 0; ; first += appendPartsMax) {
    const slice = await sliceFrom(first);
    if (slice.length === 0) return bytes;
    await append(slice);
    bytes += bytesOf(slice);
  }
};

type Fetched = Pick<Extract<SyncRunEvent, { type: 'SyncFetched' }>['data'], 'accountIds' | 'pages' | 'fetchedAt'>;

const fetchedEvent = ({ runId, entityId, connectionId, number }: Run, fetched: Fetched): NewEvent<SyncRunEvent> => ({
  id: uuidV5('fetched', runId),
  type: 'SyncFetched',
  data: { entityId, connectionId, run: number, ...fetched },
});

type Progress = Readonly<{ pages: number; wholePages: number; sentBytes: number; revision: Revision }>;

const progressOf = async (pool: Pool, { runId, connectionId }: Run) => {
  const { rows } = await pool.query<Progress>(
    `INSERT INTO connections.sync_run AS run (run_id, connection_id, pages, revision) VALUES ($1, $2, 0, -1)
     ON CONFLICT (run_id) DO UPDATE SET pages = run.pages 
     RETURNING pages, whole_pages AS "wholePages", sent_bytes AS "sentBytes", revision`,
    [runId, connectionId],
  );
  return rows[0] ?? { pages: 0, wholePages: 0, sentBytes: 0, revision: -1 as Revision };
};

/** Whether everything of a run under way was sent, also when another process did. False for a run that is over. */
export const isFetched = async ({ pool, store }: Pick<Parts, 'pool' | 'store'>, runId: string): Promise<boolean> => {
  const { rows } = await pool.query<Pick<Progress, 'revision'>>(
    'SELECT revision FROM connections.sync_run WHERE run_id = $1',
    [runId],
  );
  if (rows[0] === undefined) return false;
  const tail = await store.readStream<SyncRunEvent>(`sync-${runId}`, { after: rows[0].revision });
  return tail.some(({ type }) => type === 'SyncFetched');
};

/** Base64, as it is stored, of the bytes that cross the bus. */
const bytesOf = (parts: readonly Pick<StatementReceived, 'data'>[]): number =>
  parts.reduce((bytes, { data }) => bytes + Buffer.byteLength(data.cipher, 'base64'), 0);

const bytesOfWholePages = (tail: readonly Recorded<SyncRunEvent>[]): number => {
  const whole = new Set(tail.filter(isPageEnd).map(({ data }) => data.page));
  return bytesOf(tail.filter(isPart).filter(({ data }) => whole.has(data.page)));
};

const isPart = (event: Recorded<SyncRunEvent>): event is Recorded<StatementReceived> =>
  event.type === 'StatementReceived';

/** A page that a crash cut off has no end: it is fetched again, under another number. */
const isPageEnd = (event: Recorded<SyncRunEvent>): event is Recorded<StatementReceived> =>
  isPart(event) && event.data.part === event.data.parts - 1;

const keptAs = (page: number, { accountId, range, sha256 }: Omit<KeptPage, 'page'>): KeptPage => ({
  ...{ page, accountId, range, sha256 },
});

const keptFrom = ({ data }: Recorded<StatementReceived>): KeptPage =>
  keptAs(data.page, { ...data, sha256: data.pageSha256 });

type Part = Readonly<{ number: number; part: number; bytes: Buffer }>;

/**
 * Encrypted once, for the store and for the bus. The id names the content too: the same part appended again is the
 * same event, another writer's part at the same place is not.
 */
const receivedPart = async (
  dataKeys: DataKeys,
  run: Run,
  { accountId, currency, range, bankDay, sha256, parts }: Page,
  { number, part, bytes }: Part,
): Promise<NewEvent<StatementReceived>> => {
  const { runId, connectionId, entityId, connector } = run;
  const place = { run: run.number, page: number, part, parts: parts.length, bankDay };
  const facts = { entityId, accountId, currency, connector, ...place };
  const cipher = await dataKeys.encrypt(connectionId, bytes, contextOfPart({ ...facts, runId }));
  const data = { ...facts, connectionId, range, pageSha256: sha256, cipher: cipher.toString('base64') };
  return { id: uuidV5(`${number} ${part} ${sha256}`, runId), type: 'StatementReceived', data };
};

/** The parts of one append, from `first` on. */
const receivedSlice = (
  dataKeys: DataKeys,
  run: Run,
  page: Page,
  { number, first }: Readonly<{ number: number; first: number }>,
): Promise<NewEvent<StatementReceived>[]> => {
  const slice = page.parts.slice(first, first + appendPartsMax);
  return Promise.all(slice.map((bytes, i) => receivedPart(dataKeys, run, page, { number, part: first + i, bytes })));
};
