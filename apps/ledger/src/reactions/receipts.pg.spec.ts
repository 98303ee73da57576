import { receiptStream } from '@causeway/booking';
import type { ErasureReceipt, ReceiptEvent } from '@causeway/domain/ledger';
import { isGenuine } from '@causeway/erasure-receipts';
import { beginning, type EventStore } from '@causeway/event-sourcing';
import { inTransaction } from '@causeway/postgres';
import { keysIn, newSecret } from '@causeway/settings';
import { describeWithPostgres } from '@causeway/testing';
import {
  account,
  booksOf,
  causes,
  connectionId,
  day,
  keysOfOwner,
  rowsOn,
  testLedger,
  toBook,
  type TestLedger,
} from '../../testing/ledger.ts';
import { bookPage } from '../booking/book-page.ts';
import { closeConnection } from '../commands/close-connection.ts';
import { eraseConnection } from './erase-connection.ts';
import { concernsErasure, issueReceipt, recordSourceErased, takeErasures, type Receipts } from './receipts.ts';

const setting = 'CAUSEWAY_RECEIPT_KEYS';
const [key] = keysIn({ [setting]: newSecret(setting) }, setting);
const { organization, environment } = account;
const [deletedAt, erasedAt, completedAt] = ['00', '01', '02'].map((s) => `2026-03-04T00:00:${s}.000Z`) as [
  string,
  string,
  string,
];
const held = { throwIfLost: () => undefined };

describeWithPostgres('the receipt of an erasure', () => {
  let ledger: TestLedger;
  let receipts: Receipts;
  let keyDestroyedAt: string;
  /** Of both services. */
  let events: number;
  beforeEach(async () => {
    ledger = await testLedger();
    receipts = { ...ledger, key, now: () => completedAt, isGone: async () => true };
    await bookPage(ledger, toBook(booksOf(day, rowsOn(day, 1200))));
    events = (await ledger.events()).length + 4;
    keyDestroyedAt = await keysOfOwner(ledger.admin).destroy(connectionId);
    await closeConnection(ledger, { organization, environment, connectionId, at: deletedAt }, causes);
    await ledger.admin.query('INSERT INTO ledger.erased_days VALUES ($1, 30)', [connectionId]);
  });
  afterEach(() => ledger.drop());

  const erase = () => eraseConnection({ ...ledger, stillShown: async () => [] }, connectionId, held);
  const sourceTells = () => {
    const source = { connectionId, accounts: 1, events: 4, deletedAt, keyDestroyedAt, erasedAt };
    return recordSourceErased(ledger, source, { ...causes, organization, environment });
  };
  const issued = async (): Promise<readonly ErasureReceipt[]> => {
    const told = await ledger.store.readStream<ReceiptEvent>(receiptStream(connectionId));
    return told.flatMap(({ type, data }) => (type === 'ReceiptIssued' ? [data] : []));
  };
  /** As the feed takes them, all from the beginning. */
  const listed = async (): Promise<unknown> => {
    await ledger.store.head();
    const { events: all } = await ledger.store.readAll(beginning, 5000);
    await inTransaction(ledger.admin, (tx) => takeErasures(tx, all.filter(concernsErasure)));
    const sql = `SELECT requested_at AS "requestedAt", key_destroyed_at AS "keyDestroyedAt", receipt FROM ledger.erasure`;
    return (await ledger.admin.query<object>(sql)).rows;
  };

  test('counts what both services have destroyed, and is listed', async () => {
    await sourceTells();
    await erase();
    expect(await listed()).toEqual([{ requestedAt: deletedAt, keyDestroyedAt, receipt: null }]);
    expect(await issueReceipt(receipts, connectionId)).toBe(true);
    const [receipt] = (await issued()) as [ErasureReceipt];
    const rows = { accounts: 1, transactions: 1200, balances: 30, events };
    expect(receipt).toMatchObject({ connectionId, requestedAt: deletedAt, keyDestroyedAt, completedAt, rows });
    expect(isGenuine(receipt, [key])).toBe(true);
    expect(await listed()).toEqual([{ requestedAt: deletedAt, keyDestroyedAt, receipt }]);
  });

  test('waits for the word of the connections service, and then for the last row', async () => {
    await erase();
    expect(await issueReceipt(receipts, connectionId)).toBe(true);
    await sourceTells();
    expect(await issueReceipt({ ...receipts, isGone: async () => false }, connectionId)).toBe(false);
    expect(await issued()).toEqual([]);
    expect(await issueReceipt(receipts, connectionId)).toBe(true);
    expect(await issued()).toHaveLength(1);
  });

  test('is issued once, and says the same, however often the erasure is cut off and repeated', async () => {
    await sourceTells();
    await sourceTells();
    let deaths = 0;
    /** Each append is the last that a process makes, for as long as there are new ones. */
    const dying: EventStore = {
      ...ledger.store,
      append: async (append) => {
        await ledger.store.append(append);
        throw new Error(`killed ${++deaths} times`);
      },
    };
    const again = async (): Promise<boolean> => {
      await eraseConnection({ ...ledger, store: dying, stillShown: async () => [] }, connectionId, held);
      return issueReceipt({ ...receipts, store: dying }, connectionId);
    };
    let isDone = false;
    while (!isDone) isDone = await again().catch(() => false);
    // Two slices, the end of the account, the receipt.
    expect(deaths).toBe(4);
    const all = await issued();
    expect(all).toMatchObject([{ rows: { transactions: 1200, balances: 30, events } }]);
    await erase();
    expect(await issueReceipt(receipts, connectionId)).toBe(true);
    expect(await issued()).toEqual(all);
  });
});
