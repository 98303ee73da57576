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

/** The corrections of a request that were recorded before a crash or a fault, and where ledgers end by now. */
type Recorded = Readonly<{ ids: ReadonlySet<string>; ends: Map<StreamName, Revision> }>;

const readEvents = 5000;

/** They are found in the store, from where the live rows are held: the same request and row make the same id. */
const lookThrough = async ({ pool, store }: Between, readModel: string, { id }: Correction): Promise<Recorded> => {
  const { rows } = await pool.query<{ position: Position }>(
    'SELECT position FROM ledger.projection WHERE name = $1 AND live',
    [readModel],
  );
  const ids = new Set<string>();
  const head = await store.head();
  for (let through = rows[0]?.position ?? beginning; through < head;) {
    const { events, position } = await store.readAll(through, readEvents);
    for (const event of events) if (event.metadata.correlationId === id) ids.add(event.id);
    through = position;
  }
  return { ids, ends: new Map() };
};

/** Requests that correct at once are few: one for each read model. */
const requestsMax = 4;
const known = new WeakMap<EventStore, Map<string, Recorded>>();

/** Another writer of an account is one that books a page; that ends by itself. Or one who corrects in our place. */
const attemptsMax = 16;

/** Looked through once; after a fault or another's append nobody knows what was recorded, and it is once more. */
const knowing = async (
  between: Between,
  { readModel, by }: Readonly<{ readModel: string; by: Correction }>,
  work: (recorded: Recorded) => Promise<void>,
): Promise<void> => {
  const requests = known.get(between.store) ?? new Map<string, Recorded>();
  known.set(between.store, requests);
  for (let attempt = 1; ; attempt++) {
    const recorded = requests.get(by.id) ?? (await lookThrough(between, readModel, by));
    requests.delete(by.id);
    try {
      await work(recorded);
      requests.set(by.id, recorded);
      break;
    } catch (error) {
      if (!(error instanceof StreamContended) || attempt === attemptsMax) throw error;
    }
  }
  for (const other of [...requests.keys()].slice(0, -requestsMax)) requests.delete(other);
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
    // A row that somebody made up is of no ledger.
    if (end === undefined) return;
    const append = { stream, expected: end, events: slice, metadata, dataKey: connectionId };
    if ((await between.store.append<LedgerEvent>(append)) === 'conflict') throw new StreamContended(stream);
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
  await knowing(between, { readModel, by }, async ({ ids, ends }) => {
    const accounts = new Map<string, { account: Account; events: Stored[] }>();
    for (const { id, event, account } of corrections) {
      const stored = { ...event, id: uuidV5(`${readModel} ${id}`, by.id) };
      if (ids.has(stored.id) || held.has(ledgerStream(account.accountId))) continue;
      const of = accounts.get(account.accountId) ?? { account, events: [] };
      of.events.push(stored);
      accounts.set(account.accountId, of);
    }
    for (const { account, events } of accounts.values()) {
      await appendTo({ between, by, ends }, account, events).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
    }
  });
  return store.head();
};
