import { catchUp, ledgerStream } from '@causeway/booking';
import type { LedgerEvent } from '@causeway/domain/ledger';
import type { EventStore, Revision } from '@causeway/event-sourcing';
import { inTransaction } from '@causeway/postgres';
import { describeWithPostgres } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { bookPage } from './book-page.ts';
import {
  account,
  accountId,
  booksOf,
  causes,
  day,
  posted,
  rowsOn,
  testLedger,
  toBook,
  type TestLedger,
} from '../../testing/ledger.ts';

describeWithPostgres('booking a page', () => {
  let ledger: TestLedger;
  beforeEach(async () => void (ledger = await testLedger()));
  afterEach(() => ledger.drop());

  const typesOf = async () => (await ledger.events()).map(({ type }) => type);
  const index = async () =>
    (await ledger.admin.query('SELECT * FROM ledger.identity ORDER BY account_id, transaction_id')).rows as object[];
  const heads = async () =>
    (await ledger.admin.query('SELECT account_id, revision FROM ledger.identity_head')).rows as object[];
  const changes = async () =>
    (await ledger.admin.query<{ changes: number }>('SELECT changes FROM ledger.run')).rows[0]?.changes;
  const balances = async () =>
    (await ledger.admin.query('SELECT * FROM ledger.reported_balance ORDER BY date')).rows as object[];
  const covered = async () =>
    (await ledger.admin.query('SELECT * FROM ledger.covered ORDER BY status, from_day')).rows as object[];
  const all = () => Promise.all([index(), heads(), changes(), balances(), covered()]);

  test('the first page opens the ledger and records its rows and balances', async () => {
    await bookPage(ledger, toBook(booksOf(day, rowsOn(day, 2))));
    expect(await typesOf()).toEqual([
      'LedgerOpened',
      'TransactionRecorded',
      'TransactionRecorded',
      'BalanceReported',
      'PageBooked',
    ]);
    expect(await heads()).toEqual([{ account_id: accountId, revision: 4 }]);
    expect(await changes()).toBe(2);
  });

  test('a page that says nothing opens no ledger', async () => {
    const coverage = { posted: null, pending: null };
    await bookPage(ledger, toBook({ coverage, rows: [], closingBalances: [] }));
    expect(await typesOf()).toEqual([]);
    expect(await heads()).toEqual([]);
  });

  test('the same page again changes nothing', async () => {
    await bookPage(ledger, toBook(booksOf(day, rowsOn(day, 3))));
    const before = [await typesOf(), await all()];
    await bookPage(ledger, toBook(booksOf(day, rowsOn(day, 3))));
    expect([await typesOf(), await all()]).toEqual(before);
  });

  test('ids derive from what the bank says, so that they are the same wherever they are made', async () => {
    await bookPage(ledger, toBook(booksOf(day, [posted({ bankId: 'A' })])));
    const [, recorded] = await ledger.events();
    expect(recorded?.data).toMatchObject({ transactionId: 'e0e798e8-f832-501d-9a3c-6b6ab41278b5' });
  });

  test('the index is what a fold of the stream gives', async () => {
    const reissued = rowsOn(day, 3).map((row) => ({ ...row, bankId: `${row.bankId}x` }));
    const longer = { ...booksOf(day, reissued), coverage: { posted: { from: day, to: '2026-03-09' }, pending: null } };
    const notice = { ...booksOf('2026-03-05', reissued), coverage: { posted: null, pending: 'all' } } as const;
    const pages = [
      booksOf(day, [...rowsOn(day, 4), posted({ bankId: null })]),
      booksOf(day, [...rowsOn(day, 2), posted({ bankId: 'B', amount: '-7' })]),
      longer,
      notice,
      booksOf('2026-03-05', [
        posted({ bankId: 'C', day: '2026-03-05' }),
        { ...posted({ bankId: 'D', day: '2026-03-05', amount: '3.00' }), reversalOf: 'C' },
        { ...posted({ bankId: 'E', day: '2026-03-05', amount: '3' }), reversalOf: 'C' },
      ]),
      // One counter-row goes.
      booksOf('2026-03-05', [
        posted({ bankId: 'C', day: '2026-03-05' }),
        { ...posted({ bankId: 'D', day: '2026-03-05', amount: '3.00' }), reversalOf: 'C' },
      ]),
    ];
    for (const [number, page] of pages.entries()) await bookPage(ledger, toBook(page, 1, number));
    // An older one, of which only a part counts.
    await bookPage(ledger, toBook({ ...longer, rows: [], closingBalances: [] }, 0));
    expect(await covered()).toHaveLength(4);
    const written = await all();
    expect((await index()).filter((row) => (row as { reverses: string | null }).reverses !== null)).toHaveLength(1);
    await ledger.admin.query(
      `TRUNCATE ledger.identity, ledger.identity_head, ledger.covered, ledger.reported_balance;
       UPDATE ledger.run SET changes = 0`,
    );
    await inTransaction(ledger.pool, (tx) => catchUp(tx, ledger.store, account));
    expect(await all()).toEqual(written);
  });

  test('what an operator had remapped or corrected is taken up, and rows keep the place of their page', async () => {
    await bookPage(ledger, toBook(booksOf(day, rowsOn(day, 2)), 3));
    const [, recorded] = await ledger.events();
    if (recorded?.type !== 'TransactionRecorded') throw new Error('no row was recorded');
    const { entityId, connectionId, ...seen } = recorded.data;
    const content = { ...seen.content, amount: '-9.00' };
    const previous = { status: 'posted', postedDate: day, amount: seen.content.amount } as const;
    const person = { reason: 'ticket 7', operator: 'anna' };
    const owner = { entityId, connectionId };
    const of = { ...owner, change: 'changed', answered: [], ...person } as const;
    const events: readonly LedgerEvent[] = [
      { type: 'TransactionRemapped', data: { ...seen, content, status: 'posted', previous, ...person } },
      { type: 'BalanceRemapped', data: { ...owner, currency: 'USD', date: day, amount: '91.00', ...person } },
      { type: 'TransactionCorrected', data: { ...of, transactionId: seen.transactionId } },
      { type: 'BalanceCorrected', data: { ...of, date: day } },
    ];
    await ledger.store.append<LedgerEvent>({
      ...{ stream: ledgerStream(accountId), expected: 4 as Revision, dataKey: connectionId },
      events: events.map((event) => ({ ...event, id: randomUUID() })),
      metadata: { ...causes, organization: account.organization, environment: account.environment },
    });
    const places = async () =>
      [...(await index()), ...(await balances())].map((row) => (row as { place: number }).place);
    const before = await places();

    await bookPage(ledger, toBook({ ...booksOf('2026-03-09', []), closingBalances: [] }, 4));
    expect(await heads()).toEqual([{ account_id: accountId, revision: 9 }]);
    expect(await places()).toEqual(before);
    expect((await index()).map((row) => (row as { amount: string }).amount).sort()).toEqual(['-1.00', '-9.00']);
    expect(await balances()).toMatchObject([{ amount: '91.00' }]);
    expect(await changes()).toBe(2);
    const written = await all();
    await ledger.admin.query('TRUNCATE ledger.identity, ledger.identity_head, ledger.covered, ledger.reported_balance');
    await ledger.admin.query('UPDATE ledger.run SET changes = 0');
    await inTransaction(ledger.pool, (tx) => catchUp(tx, ledger.store, account));
    expect(await all()).toEqual(written);
  });

  test('a crash between append and index leaves nothing behind that the next page does not make good', async () => {
    /** Appends, and then loses the session that booking writes its index in. */
    const dying: EventStore = {
      ...ledger.store,
      append: async (append) => {
        const outcome = await ledger.store.append(append);
        await ledger.admin.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'booking' AND datname = current_database()`,
        );
        return outcome;
      },
    };
    const page = toBook(booksOf(day, rowsOn(day, 2)));
    await expect(bookPage({ pool: ledger.pool, store: dying }, page)).rejects.toThrow();
    expect(await heads()).toEqual([]);
    expect(await typesOf()).toHaveLength(5);

    await bookPage(ledger, page);
    expect(await typesOf()).toHaveLength(5);
    expect(await heads()).toEqual([{ account_id: accountId, revision: 4 }]);
    expect(await changes()).toBe(2);
  });

  test('of two that book at once, both find what the other has booked', async () => {
    const other = { pool: ledger.pool, store: ledger.otherStore() };
    const pages = [booksOf(day, rowsOn(day, 5)), booksOf('2026-03-03', rowsOn('2026-03-03', 5))];
    for (let round = 0; round < 5; round++) {
      await Promise.all([
        ...pages.map((page) => bookPage(ledger, toBook(page))),
        ...pages.map((page) => bookPage(other, toBook(page))),
      ]);
    }
    expect((await typesOf()).filter((type) => type === 'TransactionRecorded')).toHaveLength(10);
    expect((await typesOf()).filter((type) => type === 'LedgerOpened')).toHaveLength(1);
    expect(await index()).toHaveLength(10);
    expect(await changes()).toBe(10);
  });

  test('a large page is appended in slices, and one that was cut off is taken up again', async () => {
    let appends = 0;
    const stopping: EventStore = {
      ...ledger.store,
      append: (append) => {
        if (++appends === 3) throw new Error('cut off');
        return ledger.store.append(append);
      },
    };
    const page = toBook(booksOf(day, rowsOn(day, 1800)));
    await expect(bookPage({ pool: ledger.pool, store: stopping }, page)).rejects.toThrow('cut off');
    await bookPage(ledger, page);
    const ids = (await ledger.events()).flatMap(({ data }) => ('transactionId' in data ? [data.transactionId] : []));
    expect(new Set(ids).size).toBe(1800);
    expect(ids).toHaveLength(1800);
    expect(await index()).toHaveLength(1800);
  });

  test('what the store holds of a page is not readable without its key', async () => {
    await bookPage(ledger, toBook(booksOf(day, rowsOn(day, 2))));
    const { rows } = await ledger.admin.query<{ payload: Buffer }>('SELECT payload FROM ledger_events.append');
    expect(rows).toHaveLength(1);
    expect(rows[0]?.payload.includes('COFFEE')).toBe(false);
  });

  test('after the data key is gone nothing is booked, and that is no fault', async () => {
    await ledger.admin.query('SELECT data_keys.destroy($1)', [account.connectionId]);
    expect(await bookPage(ledger, toBook(booksOf(day, rowsOn(day, 2))))).toBe('closed');
    expect(await ledger.store.readStream(ledgerStream(accountId))).toEqual([]);
  });
});
