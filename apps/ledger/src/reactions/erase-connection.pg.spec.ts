import { erasureStream, ledgerStream } from '@causeway/booking';
import type { ErasureEvent } from '@causeway/domain/ledger';
import type { EventStore } from '@causeway/event-sourcing';
import { describeWithPostgres } from '@causeway/testing';
import { closeConnection } from '../commands/close-connection.ts';
import { bookPage } from '../booking/book-page.ts';
import {
  accountId,
  booksOf,
  causes,
  connectionId,
  day,
  entityId,
  rowsOn,
  testLedger,
  toBook,
  type TestLedger,
} from '../../testing/ledger.ts';
import { eraseConnection, type Erasing } from './erase-connection.ts';

const closing = { organization: 'demo', environment: 'test', connectionId, at: '2026-03-04T00:00:00.000Z' } as const;
const held = { throwIfLost: () => undefined };

describeWithPostgres('erasing a connection', () => {
  let ledger: TestLedger & Erasing;
  beforeEach(async () => {
    // The module's spec has a read model; here there is none that could still show anything.
    ledger = { ...(await testLedger()), stillShown: async () => [] };
  });
  afterEach(() => ledger.drop());

  const told = () => ledger.store.readStream<ErasureEvent>(erasureStream(connectionId));
  const removals = async () =>
    (await told()).flatMap((event) => (event.type === 'TransactionsRemoved' ? [event.data] : []));
  const idsTold = async () => (await removals()).flatMap(({ transactionIds }) => transactionIds);
  const ends = async () => (await told()).flatMap(({ type, data }) => (type === 'AccountErased' ? [data] : []));
  const rowsIn = async (table: string) => (await ledger.admin.query(`SELECT FROM ledger.${table}`)).rowCount;

  test('a closed connection books nothing more', async () => {
    await closeConnection(ledger, closing, causes);
    expect(await bookPage(ledger, toBook(booksOf(day, rowsOn(day, 2))))).toBe('closed');
    expect(await ledger.events()).toEqual([]);
  });

  test('closing waits for a page that is being booked, and nothing is booked behind its back', async () => {
    const running = Array.from({ length: 6 }, (_, i) =>
      bookPage(ledger, toBook(booksOf(`2026-03-1${i}`, rowsOn(`2026-03-1${i}`, 50)))),
    );
    await closeConnection(ledger, closing, causes);
    const atClosing = (await ledger.events()).length;
    await Promise.all(running);
    expect(await ledger.events()).toHaveLength(atClosing);
  });

  test('closing twice is said once', async () => {
    await closeConnection(ledger, closing, causes);
    await closeConnection(ledger, closing, causes);
    expect(await told()).toHaveLength(1);
  });

  test('every transaction there ever was is told as removed, in slices, and then nothing is kept', async () => {
    await bookPage(ledger, toBook(booksOf(day, rowsOn(day, 2300))));
    await bookPage(ledger, toBook(booksOf(day, rowsOn(day, 2299))));
    await closeConnection(ledger, closing, causes);
    const events = (await ledger.events()).length;
    await eraseConnection(ledger, connectionId, held);

    const slices = await removals();
    expect(slices.map(({ transactionIds }) => transactionIds.length)).toEqual([1000, 1000, 300]);
    expect(slices[0]).toMatchObject({ connectionId, accountId, entityId });
    expect(new Set(await idsTold()).size).toBe(2300);
    expect(await ends()).toEqual([{ connectionId, accountId, events }]);
    expect(await ledger.store.readStream(ledgerStream(accountId))).toEqual([]);
    for (const table of [
      'identity',
      'identity_head',
      'reported_balance',
      'covered',
      'run',
      'run_page',
      'run_payment',
      'statement_part',
    ]) {
      expect([table, await rowsIn(table)]).toEqual([table, 0]);
    }
  });

  test('an erasure that was cut off goes on where it was, and tells nothing twice', async () => {
    await bookPage(ledger, toBook(booksOf(day, rowsOn(day, 3500))));
    await closeConnection(ledger, closing, causes);
    const events = (await ledger.events()).length;
    for (const appendsUntilDeath of [1, 2, 2]) {
      let appends = 0;
      /** Dies right after an append: the slice, or the end, is told, and the index does not know. */
      const dying: EventStore = {
        ...ledger.store,
        append: async (append) => {
          const outcome = await ledger.store.append(append);
          if (++appends === appendsUntilDeath) throw new Error('killed');
          return outcome;
        },
      };
      await expect(eraseConnection({ ...ledger, store: dying }, connectionId, held)).rejects.toThrow('killed');
    }
    await eraseConnection(ledger, connectionId, held);
    await eraseConnection(ledger, connectionId, held);
    const ids = await idsTold();
    expect(ids).toHaveLength(3500);
    expect(new Set(ids).size).toBe(3500);
    expect(await ends()).toEqual([{ connectionId, accountId, events }]);
    expect(await rowsIn('identity_head')).toBe(0);
  });

  test('the accounts of other connections are left alone', async () => {
    const other = '018f0000-0000-7000-8000-0000000000aa';
    await bookPage(ledger, toBook(booksOf(day, rowsOn(day, 2))));
    await closeConnection(ledger, { ...closing, connectionId: other }, causes);
    await eraseConnection(ledger, other, held);
    expect(await ledger.events()).toHaveLength(5);
    expect(await rowsIn('identity')).toBe(2);
  });
});
