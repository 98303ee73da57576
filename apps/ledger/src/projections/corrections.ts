import { DataKeyDestroyed } from '@causeway/data-keys';
import { ledgerStream } from '@causeway/booking';
import type { LedgerEvent } from '@causeway/domain/ledger';
import {
  beginning,
  StreamContended,
  StreamErased,
  type EventStore,
  type NewEvent,
  type Position,
  type Revision,
  type StreamName,
} from '@causeway/event-sourcing';
import type { Between, Correction } from '@causeway/projections';
import { v5 as uuidV5 } from 'uuid';

type CorrectionEvent = Extract<LedgerEvent, { type: 'TransactionCorrected' | 'BalanceCorrected' }>;

/** `id`: of the row, as a difference names it. */
export type RowCorrection = Readonly<{
  id: string;
  accountId: string;
  connectionId: string;
  organization: string | null;
  environment: 'live' | 'test' | null;
  event: CorrectionEvent;
}>;

/** The corrections of a request that are recorded, as far as the store was looked through. */
type Recorded = { through: Position; readonly ids: Set<string> };

/** Requests that correct at once are few: one for each read model. */
const requestsMax = 4;
const known = new WeakMap<EventStore, Map<string, Recorded>>();
const readEvents = 5000;

const recordedOf = async ({ pool, store }: Between, readModel: string, { id }: Correction): Promise<Recorded> => {
  const requests = known.get(store) ?? new Map<string, Recorded>();
  known.set(store, requests);
  const found = requests.get(id);
  if (found !== undefined) return found;
  const { rows } = await pool.query<{ position: Position }>(
    'SELECT position FROM ledger.projection WHERE name = $1 AND live',
    [readModel],
  );
  // The live rows are held where the corrections begin.
  const recorded = { through: rows[0]?.position ?? beginning, ids: new Set<string>() };
  requests.set(id, recorded);
  for (const other of [...requests.keys()].slice(0, -requestsMax)) requests.delete(other);
  return recorded;
};

/** What was recorded before a crash is found in the store: the same request and row make the same id. */
const lookThrough = async (store: EventStore, recorded: Recorded, { id }: Correction): Promise<void> => {
  for (const head = await store.head(); recorded.through < head;) {
    const { events, position } = await store.readAll(recorded.through, readEvents);
    for (const event of events) if (event.metadata.correlationId === id) recorded.ids.add(event.id);
    recorded.through = position;
  }
};

type Account = Pick<RowCorrection, 'accountId' | 'connectionId' | 'organization' | 'environment'>;
type Stored = NewEvent<CorrectionEvent>;

/** Of one append: rows that have changed often carry all that they were. */
const appendEventsMax = 600;
const appendCharactersMax = 256 * 1024;

const slicesOf = (events: readonly Stored[]): readonly Stored[][] => {
  const slices: Stored[][] = [];
  let characters = Infinity;
  for (const event of events) {
    const length = JSON.stringify(event).length;
    const last = slices.at(-1);
    if (last !== undefined && last.length < appendEventsMax && characters + length <= appendCharactersMax) {
      last.push(event);
      characters += length;
    } else {
      slices.push([event]);
      characters = length;
    }
  }
  return slices;
};

/** Another writer of the account is one that books a page; that ends by itself. */
const attemptsMax = 16;

/** The last revision of a stream, from one that it has at least. */
const lastRevision = async (store: EventStore, stream: StreamName, least: Revision | undefined) => {
  const events = await store.readStream(stream, least === undefined ? {} : { after: least });
  return events.at(-1)?.revision ?? least;
};

const appendTo = async ({ pool, store }: Between, account: Account, events: readonly Stored[], by: Correction) => {
  const { accountId, connectionId, organization, environment } = account;
  const stream = ledgerStream(accountId);
  const metadata = { correlationId: by.id, causationId: by.id, organization, environment };
  const { rows } = await pool.query<{ revision: Revision }>(
    'SELECT revision FROM ledger.identity_head WHERE account_id = $1',
    [accountId],
  );
  let revision = await lastRevision(store, stream, rows[0]?.revision);
  // A row that somebody made up is of no ledger.
  if (revision === undefined) return;
  for (const slice of slicesOf(events)) {
    for (let attempt = 1; ; attempt++) {
      const append = { stream, expected: revision ?? ('no-stream' as const), events: slice, metadata };
      if ((await store.append<LedgerEvent>({ ...append, dataKey: connectionId })) === 'appended') break;
      if (attempt === attemptsMax) throw new StreamContended(`${stream}: gave up after ${attemptsMax} conflicts`);
      revision = await lastRevision(store, stream, revision);
    }
    revision = ((revision ?? -1) + slice.length) as Revision;
  }
};

const isGone = (error: unknown): boolean => error instanceof StreamErased || error instanceof DataKeyDestroyed;

/**
 * Appends corrections to the ledgers of their accounts, each once, whatever was cut off and is asked for again. Nothing
 * is corrected of what is being erased. Resolves to a position at or after the last.
 */
export const recordCorrections = async (
  between: Between,
  readModel: 'balances' | 'transactions',
  corrections: readonly RowCorrection[],
  by: Correction,
): Promise<Position> => {
  const { store, held } = between;
  const recorded = await recordedOf(between, readModel, by);
  await lookThrough(store, recorded, by);
  const accounts = new Map<string, { account: Account; events: Stored[] }>();
  for (const { id, event, ...account } of corrections) {
    const stored = { ...event, id: uuidV5(`${readModel} ${id}`, by.id) };
    if (recorded.ids.has(stored.id) || held.has(ledgerStream(account.accountId))) continue;
    const of = accounts.get(account.accountId) ?? { account, events: [] };
    of.events.push(stored);
    accounts.set(account.accountId, of);
  }
  for (const { account, events } of accounts.values()) {
    await appendTo(between, account, events, by).catch((error: unknown) => {
      if (!isGone(error)) throw error;
    });
  }
  return store.head();
};
