import { bookingStream } from '@causeway/booking';
import { contextOfPart, type StatementPartV1 } from '@causeway/contracts';
import type { BookingEvent, StatementRow } from '@causeway/domain/ledger';
import { describeWithPostgres } from '@causeway/testing';
import { finishRun } from './finish-run.ts';
import { receivePart, type Receiving } from './receive-part.ts';
import {
  account,
  accountId,
  causes,
  connectionId,
  day,
  keysOfOwner,
  posted,
  rowsOn,
  runId,
  testLedger,
  type TestLedger,
} from '../../testing/ledger.ts';

type Placed = Readonly<{ page: number; part: number; parts: number }>;
const tables = ['run', 'run_page', 'run_payment', 'statement_part'];
const only: Placed = { page: 0, part: 0, parts: 1 };

describeWithPostgres('a page that comes in parts', () => {
  let ledger: TestLedger;
  beforeEach(async () => void (ledger = await testLedger()));
  afterEach(() => ledger.drop());

  const its: Omit<StatementPartV1, keyof Placed> = { ...account, runId, run: 1, connector: 'json', bankDay: day };
  const sealed = (part: StatementPartV1, bytes: Buffer) =>
    ledger.dataKeys.encrypt(part.connectionId, bytes, contextOfPart(part));
  const give = async (bytes: Buffer, placed: Placed, facts: Partial<StatementPartV1> = {}): Promise<void> => {
    const part = { ...its, ...placed, ...facts };
    await receivePart(ledger, { part, cipher: await sealed(part, bytes) }, causes);
  };
  const rows = (list: readonly StatementRow[]): Buffer => Buffer.from(JSON.stringify(list));

  const finish = (pages = 1) => {
    const accountIds = [accountId, '018f0000-0000-5000-8000-00000000000f'];
    return finishRun(ledger, { ...account, runId, run: 1, accountIds, pages }, causes);
  };
  const outcome = async () => {
    const events = await ledger.store.readStream<BookingEvent>(bookingStream(runId));
    return events.map(({ data }) => data);
  };
  const recorded = async () => (await ledger.events()).filter(({ type }) => type === 'TransactionRecorded').length;
  const rowsIn = async (table: string) => (await ledger.admin.query(`SELECT FROM ledger.${table}`)).rowCount;

  test('is booked with the last of them, and with no other', async () => {
    await give(rows(rowsOn(day, 2)), { page: 0, part: 0, parts: 2 });
    expect(await recorded()).toBe(0);
    await give(rows([posted({ bankId: 'last' })]), { page: 0, part: 1, parts: 2 });
    expect(await recorded()).toBe(3);
  });

  test('and again is booked once', async () => {
    for (let delivery = 0; delivery < 2; delivery++) {
      await give(rows(rowsOn(day, 2)), { page: 0, part: 0, parts: 2 });
      await give(rows([posted({ bankId: 'last' })]), { page: 0, part: 1, parts: 2 });
    }
    expect(await recorded()).toBe(3);
    await finish();
    expect(await outcome()).toEqual([{ connectionId, runId, changes: 3, refused: [], missing: 0 }]);
  });

  test('that never came is missed when the run ends', async () => {
    await give(rows(rowsOn(day, 2)), only);
    await give(rows(rowsOn(day, 2)), { page: 2, part: 0, parts: 1 });
    await finish(3);
    expect(await outcome()).toEqual([{ connectionId, runId, changes: 2, refused: [], missing: 1 }]);
  });

  test('of which one is missing is missed, the run goes on, and the page is booked when that one is retried', async () => {
    await give(rows([posted({ bankId: 'last' })]), { page: 0, part: 1, parts: 2 });
    await give(rows(rowsOn('2026-03-03', 2)), { page: 1, part: 0, parts: 1 });
    await finish(2);
    expect(await outcome()).toEqual([{ connectionId, runId, changes: 2, refused: [], missing: 1 }]);
    expect(await rowsIn('statement_part')).toBe(1);
    await give(rows(rowsOn(day, 2)), { page: 0, part: 0, parts: 2 });
    expect(await recorded()).toBe(5);
    expect(await rowsIn('statement_part')).toBe(0);
  });

  const poison: Readonly<Record<string, readonly [Buffer, Partial<StatementPartV1>, RegExp]>> = {
    'that its connector cannot read': [Buffer.from('{"cut'), {}, /^it cannot be read$/],
    'of a connector that nobody knows': [rows([]), { connector: 'none' }, /no connector/],
    'with an amount that is none': [
      rows([posted({ bankId: 'A', amount: '1,5' })]),
      {},
      /^row 1: the amount is not a decimal$/,
    ],
    'with a row of another age': [rows([posted({ bankId: 'A', day: '2062-01-01' })]), {}, /^row 1: a day is not from/],
    'with a day that does not exist': [
      rows([posted({ bankId: 'A', day: '2026-02-30' })]),
      {},
      /^row 1: the day is none$/,
    ],
    'with a character that no text may hold': [rows([posted({ bankId: 'A\u0000' })]), {}, /zero character/],
  };
  test.each(Object.entries(poison))(
    '%s books nothing and says why, in no word of the bank’s',
    async (_, [bytes, facts, reason]) => {
      await give(bytes, only, facts);
      await finish();
      const refused = [{ accountId, page: 0, reason: expect.stringMatching(reason) as string }];
      expect(await outcome()).toEqual([{ connectionId, runId, changes: 0, refused, missing: 0 }]);
      expect(await recorded()).toBe(0);
    },
  );

  test('is not booked once its key was destroyed, and no retry is asked for', async () => {
    const part = { ...its, ...only };
    const cipher = await sealed(part, rows(rowsOn(day, 2)));
    await ledger.admin.query('SELECT data_keys.destroy($1)', [connectionId]);
    const later: Receiving = { ...ledger, dataKeys: { ...ledger.dataKeys, decrypt: async () => undefined } };
    await receivePart(later, { part, cipher }, causes);
    expect(await rowsIn('run_page')).toBe(0);
    expect(await recorded()).toBe(0);
  });

  const other = '018f0000-0000-7000-8000-00000000000e';
  const moves: Readonly<Record<string, Partial<StatementPartV1>>> = {
    'another account': { accountId: other },
    'another connection': { connectionId: other },
    'another entity': { entityId: other },
    'another page': { page: 1 },
    'another run': { runId: other },
    'another currency': { currency: 'EUR' },
  };
  test.each(Object.entries(moves))('that was moved to %s is a fault, and books nothing', async (_, moved) => {
    await keysOfOwner(ledger.admin).create(other, account);
    const cipher = await sealed({ ...its, ...only }, rows(rowsOn(day, 2)));
    const part = { ...its, ...only, ...moved };
    await expect(receivePart(ledger, { part, cipher }, causes)).rejects.toThrow(/another (place|key)/);
    expect((await ledger.admin.query('SELECT FROM ledger_events.append')).rowCount).toBe(0);
  });

  test('of a run of the same id of another connection is another’s, and that run ends nothing here', async () => {
    await keysOfOwner(ledger.admin).create(other, account);
    const foreign = { connectionId: other, accountId: other };
    await give(rows(rowsOn(day, 1)), { page: 0, part: 0, parts: 2 }, foreign);
    await give(rows(rowsOn(day, 2)), { page: 0, part: 0, parts: 2 });
    await give(rows([posted({ bankId: 'last' })]), { page: 0, part: 1, parts: 2 });
    await finishRun(ledger, { ...account, ...foreign, runId, run: 1, accountIds: [], pages: 1 }, causes);
    await finish();
    const own = (await outcome()).filter((said) => said.connectionId === connectionId);
    expect(own).toEqual([{ connectionId, runId, changes: 3, refused: [], missing: 0 }]);
  });

  test('a run is finished once, however often that is said, and leaves nothing behind', async () => {
    await give(rows(rowsOn(day, 2)), { page: 0, part: 0, parts: 2 });
    await give(rows(rowsOn(day, 3)), { page: 0, part: 1, parts: 2 });
    await finish();
    await finish();
    expect(await outcome()).toHaveLength(1);
    expect(await Promise.all(tables.map(rowsIn))).toEqual([0, 0, 0, 0]);
  });

  test('changes that a crash kept out of the index are counted all the same', async () => {
    await give(rows(rowsOn(day, 3)), only);
    await ledger.admin.query('UPDATE ledger.run SET changes = 0');
    await ledger.admin.query('TRUNCATE ledger.identity, ledger.identity_head, ledger.covered');
    await finish();
    expect(await outcome()).toEqual([{ connectionId, runId, changes: 3, refused: [], missing: 0 }]);
  });

  const reference = '0198c1a2-7b3c-7d4e-8f50-123456789abc';
  const paid = (): StatementRow => {
    const row = posted({ bankId: 'paid', amount: '-5.00' });
    return { ...row, content: { ...row.content, customerReference: reference } };
  };
  test.each([
    ['', async () => undefined],
    [
      ', though a crash kept them out of the index',
      () =>
        ledger.admin.query(
          'TRUNCATE ledger.identity, ledger.identity_head, ledger.covered, ledger.reported_balance, ledger.run_payment',
        ),
    ],
  ])('rows that carry a payment’s reference are told before the run is%s', async (_, crash) => {
    await give(rows([...rowsOn(day, 2), paid()]), only);
    await crash();
    await finish();
    const payments = [{ accountId, transactionId: expect.any(String) as string, reference }];
    expect((await outcome())[0]).toEqual({ connectionId, runId, payments });
    expect(await outcome()).toHaveLength(2);
  });
});
