import { type Books, erasureStream, ledgerStream } from '@causeway/booking';
import { removedIdsMax, type ErasureEvent, type ReceiptEvent } from '@causeway/domain/ledger';
import type { EventStore, Recorded, Revision, Sequenced } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import { eraseParking } from '@causeway/projections';
import type { Hold, WorkItem } from '@causeway/work-queue';
import { v7 as uuid } from 'uuid';
import type { ShownRow } from './still-shown.ts';

type Begun = Extract<ErasureEvent, { type: 'ConnectionErased' }> | Extract<ReceiptEvent, { type: 'SourceErased' }>;
type Removal = Extract<ErasureEvent, { type: 'TransactionsRemoved' }>['data'];
type Head = Readonly<{ accountId: string; entityId: string }>;

export const erasureKind = 'erasure';

/** What there is to do once a connection was closed, and once its own service has destroyed its part. */
export const erasureOf = (event: Sequenced): readonly WorkItem[] => {
  const { organization, environment } = event.metadata;
  const isBegun = event.type === 'ConnectionErased' || event.type === 'SourceErased';
  if (!isBegun || organization === null || environment === null) return [];
  const { connectionId } = (event as Sequenced<Begun>).data;
  return [{ kind: erasureKind, id: connectionId, organization, environment, institution: null }];
};

const headsOf = async (pool: Pool, connectionId: string): Promise<readonly Head[]> => {
  const { rows } = await pool.query<Head>(
    `SELECT account_id AS "accountId", entity_id AS "entityId" FROM ledger.identity_head
      WHERE connection_id = $1 ORDER BY account_id`,
    [connectionId],
  );
  return rows;
};

/** Withdrawn ones too: once the streams are gone, a rebuild knows of a removed row by what is told here alone. */
const knownIds = async (pool: Pool, accountId: string): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT transaction_id AS id FROM ledger.identity WHERE account_id = $1
      ORDER BY transaction_id LIMIT $2`,
    [accountId, removedIdsMax],
  );
  return rows.map(({ id }) => id);
};

const forget = async (pool: Pool, { accountId, transactionIds }: Removal): Promise<void> => {
  await pool.query(
    `DELETE FROM ledger.identity i USING unnest($2::uuid[]) AS told (id)
      WHERE i.account_id = $1 AND i.transaction_id = told.id`,
    [accountId, transactionIds],
  );
};

const forgetAccount = async (
  { pool, store }: Books,
  { connectionId, accountId }: Omit<Removal, 'entityId' | 'transactionIds'>,
  tell: Tell,
): Promise<void> => {
  const events = await store.eraseStream(ledgerStream(accountId));
  await tell({ type: 'AccountErased', data: { connectionId, accountId, events } });
  await eraseParking({ pool, store }, 'ledger', ledgerStream(accountId));
  // The head goes last: as long as it is there, an erasure that was cut off finds the account again.
  for (const table of ['identity', 'reported_balance', 'covered', 'run_page', 'run_payment', 'identity_head']) {
    await pool.query(`DELETE FROM ledger.${table} WHERE account_id = $1`, [accountId]);
  }
};

export type Erasing = Books &
  Readonly<{
    /** Rows that can be read of the connection although the index has none of them, a slice at a time. */
    stillShown: (connectionId: string) => Promise<readonly ShownRow[]>;
  }>;

type Held = Pick<Hold, 'throwIfLost'>;
type Told = Exclude<ErasureEvent, { type: 'ConnectionErased' }>;
type Tell = (event: Told) => Promise<void>;

/** Appends to the erasure's stream, after what it holds. The end of an account is told once. */
const teller = (store: EventStore, told: readonly Recorded<ErasureEvent>[], begun: Recorded, last: Revision): Tell => {
  const { stream } = begun;
  const ended = new Set(told.flatMap(({ type, data }) => (type === 'AccountErased' ? [data.accountId] : [])));
  let expected = last;
  return async (event) => {
    if (event.type === 'AccountErased' && ended.has(event.data.accountId)) return;
    const outcome = await store.append<ErasureEvent>({
      stream,
      expected,
      events: [{ ...event, id: uuid() }],
      metadata: { ...begun.metadata, causationId: begun.id },
      dataKey: null,
    });
    if (outcome === 'conflict') throw new Error(`${stream}: somebody else carries the erasure through`);
    expected = (expected + 1) as Revision;
    if (event.type === 'AccountErased') ended.add(event.data.accountId);
  };
};

const eraseKnown = async (books: Books, connectionId: string, tell: Tell, hold: Held): Promise<void> => {
  const { pool } = books;
  for (const head of await headsOf(pool, connectionId)) {
    for (;;) {
      hold.throwIfLost();
      const transactionIds = await knownIds(pool, head.accountId);
      if (transactionIds.length === 0) break;
      const removal = { ...head, connectionId, transactionIds };
      await tell({ type: 'TransactionsRemoved', data: removal });
      await forget(pool, removal);
    }
    await forgetAccount(books, { ...head, connectionId }, tell);
  }
};

/**
 * What a crash kept out of the index just before the erasure: the events can no longer be read, since their key is
 * gone, but the read model may have read them in time.
 */
const eraseShown = async (erasing: Erasing, connectionId: string, tell: Tell, hold: Held): Promise<void> => {
  for (;;) {
    hold.throwIfLost();
    const rows = await erasing.stillShown(connectionId);
    const [first] = rows;
    if (first === undefined) return;
    const { accountId, entityId } = first;
    const transactionIds = rows.filter((row) => row.accountId === accountId).map(({ id }) => id);
    const data = { accountId, entityId, connectionId, transactionIds };
    await tell({ type: 'TransactionsRemoved', data });
    await forgetAccount(erasing, data, tell);
  }
};

/**
 * Tells the removal of every transaction of an erased connection, then deletes what is kept of it. Called again after a
 * crash it goes on where it was: the last slice told may not have left the index yet, and is not told twice.
 */
export const eraseConnection = async (erasing: Erasing, connectionId: string, hold: Held): Promise<void> => {
  const { pool, store } = erasing;
  const told = await store.readStream<ErasureEvent>(erasureStream(connectionId));
  const [begun, last] = [told[0], told.at(-1)];
  if (begun === undefined || last === undefined) throw new Error(`${connectionId} is not closed`);
  if (last.type === 'TransactionsRemoved') await forget(pool, last.data);
  const tell = teller(store, told, begun, last.revision);
  await eraseKnown(erasing, connectionId, tell, hold);
  await eraseShown(erasing, connectionId, tell, hold);
  for (const table of ['statement_part', 'run']) {
    await pool.query(`DELETE FROM ledger.${table} WHERE connection_id = $1`, [connectionId]);
  }
};
