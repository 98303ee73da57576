import { coveredSql, knownSql, lockForBooking, readKnown, reusedSql, takenSql } from '@causeway/booking';
import { inTransaction } from '@causeway/postgres';
import { describeWithPostgres } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { bookPage } from './book-page.ts';
import {
  accountId,
  booksOf,
  connectionId,
  day,
  posted,
  rowsOn,
  testLedger,
  toBook,
  type TestLedger,
} from '../../testing/ledger.ts';

type Node = Readonly<{
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: readonly Node[];
}>;

const scans = (node: Node): readonly Node[] => [
  ...(node['Node Type'].includes('Scan') ? [node] : []),
  ...(node.Plans ?? []).flatMap(scans),
];
const touched = (node: Node): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];

const historyRows = 200_000;

describeWithPostgres('what a page costs in a long history', () => {
  let ledger: TestLedger;
  beforeAll(async () => {
    ledger = await testLedger();
    await bookPage(ledger, toBook(booksOf(day, rowsOn(day, 250))));
    // Some 250 rows a day, over years, as if they had been booked; nobody has counted them for the planner yet.
    await ledger.admin.query(
      `INSERT INTO ledger.identity
       SELECT $1, gen_random_uuid(), 0, 'posted', 'old-' || n, date '2020-01-01' + n / 250, date '2020-01-01' + n / 250,
              '1.00', 'f' || n, 'n' || n, 'c' || n
         FROM generate_series(1, $2::int) n`,
      [accountId, historyRows],
    );
    // Rows that nothing but their day tells apart.
    await ledger.admin.query(
      `INSERT INTO ledger.identity
       SELECT $1, gen_random_uuid(), 0, (ARRAY['posted', 'withdrawn', 'cancelled'])[1 + n % 3], 'BATCH',
              date '2020-01-01' + n, date '2020-01-01' + n, '-3.00', 'f', 'n', 'c'
         FROM generate_series(1, 2000) n`,
      [accountId],
    );
    // A page for each day of eleven years, and as many before them that show pending rows.
    await ledger.admin.query(
      `INSERT INTO ledger.covered
       SELECT $1, status, date '2015-01-01' + n, date '2015-01-01' + n, 0
         FROM generate_series(1, 4000) n, unnest(ARRAY['posted', 'pending']) status`,
      [accountId],
    );
  });
  afterAll(() => ledger.drop());

  const page = booksOf(day, [...rowsOn(day, 249), posted({ bankId: 'new' })]);
  /** As booking runs it: without statistics at first, under its own settings. */
  const scansOf = (sql: string, values: readonly unknown[]): Promise<readonly Node[]> =>
    inTransaction(ledger.pool, async (tx) => {
      await lockForBooking(tx, connectionId);
      const { rows } = await tx.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, [
        ...values,
      ]);
      return scans(rows[0]!['QUERY PLAN'][0].Plan).filter((node) => node['Node Type'] !== 'Function Scan');
    });

  const bankIds = page.rows.map(({ bankId }) => bankId);
  const ids = Array.from({ length: 500 }, () => randomUUID());
  // Found by day and by id; each in an index and in the table.
  const reads: readonly (readonly [string, string, readonly unknown[], number])[] = [
    ['the rows of its days and ids', knownSql, [accountId, day, day, [], bankIds], 4 * 250],
    ['the rows of days that it does not cover', knownSql, [accountId, null, null, [day], bankIds], 4 * 250],
    ['the ids that are taken', takenSql, [accountId, ids], 0],
    ['those that share an id', reusedSql, [accountId, ['BATCH'], [2]], 2 * 3 * 2],
    ['what of its days is covered', coveredSql, [accountId, ['posted'], ['2020-03-02'], ['2020-03-06']], 2 * 5 + 2],
  ];

  describe.each(['before', 'after'])('%s statistics', (when) => {
    beforeAll(async () => {
      if (when === 'after') await ledger.admin.query('ANALYZE ledger.identity, ledger.covered');
    });
    test.each(reads)('it looks up %s and touches no others', async (_, sql, values, rows) => {
      const nodes = await scansOf(sql, values);
      expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      expect(nodes.reduce((sum, node) => sum + touched(node), 0)).toBeLessThanOrEqual(rows);
    });
  });

  test('it is given the rows of its days, whatever lies around them', async () => {
    const known = await inTransaction(ledger.pool, (tx) => readKnown(tx, accountId, page));
    expect(known).toHaveLength(250);
  });

  test('it writes what it changes and nothing else', async () => {
    const before = (await ledger.events()).length;
    await bookPage(ledger, toBook(page, 2));
    const added = (await ledger.events()).slice(before).map(({ type }) => type);
    expect(added).toEqual(['TransactionRecorded', 'TransactionWithdrawn', 'PageBooked']);
  });

  test('it is compared with no more of the rows that look like its own than it has itself', async () => {
    const alike = (on: number) => posted({ bankId: 'BATCH', day: `20${String(20 + on)}-07-01` });
    const rows = [alike(10), alike(11)];
    const notice = { coverage: { posted: null, pending: null }, rows, closingBalances: [] };
    const known = await inTransaction(ledger.pool, (tx) => readKnown(tx, accountId, notice));
    expect(known.length).toBeLessThanOrEqual(16 + 3 * rows.length);
  });
});
