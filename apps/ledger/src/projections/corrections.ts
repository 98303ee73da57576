import { DataKeyDestroyed } from '@causeway/data-keys';
import { ledgerStream, type Account } from '@causeway/booking';
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
export type RowCorrection = Readonly<{ id: string; account: Account; event: CorrectionEvent }>;

/** The corrections of a request that are recorded, as far as the store was looked through; and where ledgers end. */
type Recorded = { through: Position; readonly ids: Set<string>; readonly ends: Map<StreamName, Revision> };

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
  const recorded = {
    through: rows[0]?.position ?? beginning,
    ids: new Set<string>(),
    ends: new Map<StreamName, Revision>(),
  };
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

/** The last revision of an account's ledger, which is where its index is or later. */
const endOf = async ({ pool, store }: Between, { accountId }: Account): Promise<Revision | undefined> => {
  const { rows } = await pool.query<{ revision: Revision }>(
    'SELECT revision FROM ledger.identity_head WHERE account_id = $1',
    [accountId],
  );
  const indexed = rows[0]?.revision;
  const later = await store.readStream(ledgerStream(accountId), indexed === undefined ? {} : { after: indexed });
  return later.at(-1)?.revision ?? indexed;
};

type Appending = Readonly<{ between: Between; by: Correction; ends: Recorded['ends'] }>;

const appendTo = async ({ between, by, ends }: Appending, account: Account, events: readonly Stored[]) => {
  const { accountId, connectionId, organization, environment } = account;
  const stream = ledgerStream(accountId);
  const metadata = { correlationId: by.id, causationId: by.id, organization, environment };
  let end = ends.get(stream) ?? (await endOf(between, account));
  for (const slice of slicesOf(events)) {
    for (let attempt = 1; ; attempt++) {
      // A row that somebody made up is of no ledger.
      if (end === undefined) return;
      const append = { stream, expected: end, events: slice, metadata, dataKey: connectionId };
      if ((await between.store.append<LedgerEvent>(append)) === 'appended') break;
      if (attempt === attemptsMax) throw new StreamContended(`${stream}: gave up after ${attemptsMax} conflicts`);
      end = await endOf(between, account);
    }
    end = (end + slice.length) as Revision;
    ends.set(stream, end);
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
  for (const { id, event, account } of corrections) {
    const stored = { ...event, id: uuidV5(`${readModel} ${id}`, by.id) };
    if (recorded.ids.has(stored.id) || held.has(ledgerStream(account.accountId))) continue;
    const of = accounts.get(account.accountId) ?? { account, events: [] };
    of.events.push(stored);
    accounts.set(account.accountId, of);
  }
  for (const { account, events } of accounts.values()) {
    await appendTo({ between, by, ends: recorded.ends }, account, events).catch((error: unknown) => {
      if (!isGone(error)) throw error;
    });
  }
  return store.head();
};
