import {
  catchUp,
  mapPage,
  previewRemap,
  publishRemap,
  remapDifferences,
  type KeptPage,
  type Mapping,
  type Remap,
} from '@causeway/booking';
import { placeOf, type StatementRow } from '@causeway/domain/ledger';
import { negate } from '@causeway/money';
import { openLog } from '@causeway/observability';
import { inTransaction } from '@causeway/postgres';
import { projector, type Difference, type Projector } from '@causeway/projections';
import { describeWithPostgres } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { account, accountId, booksOf, causes, posted, testLedger, type TestLedger } from '../../testing/ledger.ts';
import { closeConnection } from '../commands/close-connection.ts';
import { ledgerSchema as schema } from '../migrations.ts';
import { balances } from '../projections/balances/balances.projection.ts';
import { transactions } from '../projections/transactions/transactions.projection.ts';
import { bookPage } from './book-page.ts';

const projections = [transactions, balances];
const by = { reason: 'the sign was turned round', operator: 'anna' };
const soonMs = 20_000;

const rowsIn = (part: Buffer): StatementRow[] => JSON.parse(part.toString()) as StatementRow[];
const right: Mapping = { map: (part) => booksOf(rowsIn(part)[0]!.day, rowsIn(part)) };
/** Takes outflow for inflow, coffee for tea, and another figure for the closing balance. */
const wrong: Mapping = {
  map: (part) => {
    const { rows, ...page } = right.map(part);
    const turned = rows.map((row) => ({
      ...row,
      content: { ...row.content, amount: negate(row.content.amount), description: 'Tea' },
    }));
    return { ...page, rows: turned, closingBalances: [{ date: turned[0]!.day, amount: '90.00' }] };
  },
};

const on = (day: number): string => `2026-03-0${day}`;
const row = (bankId: string, day: number, amount: string) => posted({ bankId, day: on(day), amount });
const keptAs = (run: number, page: number, rows: readonly StatementRow[]): KeptPage => ({
  ...{ account, run, page, connector: 'json', bankDay: on(9) },
  parts: [Buffer.from(JSON.stringify(rows))],
});
/** From the newest run to the oldest. In the second, the bank no longer has B, and C costs more. */
const evidence: readonly KeptPage[] = [
  keptAs(2, 0, [row('A', 1, '-1.00'), row('C', 1, '-3.50')]),
  keptAs(1, 0, [row('A', 1, '-1.00'), row('B', 1, '-2.00'), row('C', 1, '-3.00')]),
  keptAs(1, 1, [row('D', 2, '-4.00'), row('E', 2, '5.00')]),
];

const listOf = async <T>(each: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const one of each) list.push(one);
  return list;
};

describeWithPostgres('the present mapping over kept pages', () => {
  let ledger: TestLedger;
  let views: Projector;
  let remap: Remap;
  beforeEach(async () => {
    ledger = await testLedger();
    const { admin: pool, store } = ledger;
    views = projector({ pool, schema, store, projections, log: openLog('spec', 'silent'), leaseTtlMs: 500 });
    views.start();
    await views.made();
    remap = { pool: ledger.pool, store, mappings: { json: right }, by, causes };
    for (const each of evidence.toReversed()) await book(each, wrong);
  });
  afterEach(async () => {
    await views.stop();
    await ledger.drop();
  });

  const book = async ({ run, page: number, parts, bankDay }: KeptPage, mapping: Mapping): Promise<void> => {
    const mapped = await mapPage(mapping, parts, bankDay);
    if ('refusal' in mapped) throw new Error(mapped.refusal);
    const runId = randomUUID();
    await bookPage(ledger, {
      account,
      runId,
      number,
      place: placeOf(run, number),
      bytes: 1,
      causes,
      page: mapped.page,
    });
  };
  async function* pages(of: readonly KeptPage[] = evidence): AsyncGenerator<KeptPage> {
    yield* of;
  }
  const shownAll = async (): Promise<void> => {
    const head = await ledger.store.head();
    for (const { name } of projections) expect(await views.passed(name, head, soonMs)).toBe(true);
  };
  const differences = async (with_: Remap = remap): Promise<readonly Difference[]> => {
    await shownAll();
    return (await listOf(remapDifferences(ledger.admin, previewRemap(with_, pages())))).flat();
  };
  const publish = async (of = evidence): Promise<number> => {
    const changes = await listOf(publishRemap(remap, pages(of)));
    return changes.flatMap((each) => each.changes).length;
  };
  type Told = Readonly<{ id: string; json: string; updated_at: string }>;
  const feed = async (after = '-infinity'): Promise<readonly Told[]> => {
    await shownAll();
    const { rows } = await ledger.admin.query<Told>(
      `SELECT id, json, updated_at FROM read_models.transactions_v1 WHERE updated_at > $1 AND NOT removed ORDER BY updated_at`,
      [after],
    );
    return rows;
  };
  const days = async () =>
    (
      await ledger.admin.query<{ date: string; balance: string; delta: string; at: string }>(
        `SELECT date, ledger_balance AS balance, posted_transaction_delta AS delta, updated_at AS at
           FROM read_models.balances_v1 ORDER BY date`,
      )
    ).rows;
  const index = async () =>
    (await ledger.admin.query<object>('SELECT * FROM ledger.identity ORDER BY transaction_id')).rows;
  const amounts = async () => (await feed()).map(({ json }) => (JSON.parse(json) as { amount: string }).amount).sort();

  test('is shown by row and field, and nothing of it is written', async () => {
    const before = await ledger.events();
    const found = await differences();
    const idOf = async (amount: string) =>
      (await feed()).find(({ json }) => (JSON.parse(json) as { amount: string }).amount === amount)?.id;
    const changed = async (was: string, is: string) => ({
      ...{ id: await idOf(was), change: 'changed' },
      fields: {
        amount: [was, is],
        description: ['Tea', 'Coffee'],
        entryType: was.startsWith('-') ? ['debit', 'credit'] : ['credit', 'debit'],
      },
    });
    expect(new Set(found.slice(0, 4))).toEqual(
      new Set([
        await changed('1.00', '-1.00'),
        await changed('3.50', '-3.50'),
        await changed('4.00', '-4.00'),
        await changed('-5.00', '5.00'),
      ]),
    );
    const fields = (balance: string, delta: [string, string]) => ({
      ledgerBalance: [balance, '100.00'],
      postedTransactionDelta: delta,
    });
    expect(found.slice(4)).toEqual([
      { id: `${accountId}/${on(1)}`, change: 'changed', fields: fields('90.00', ['4.50', '-4.50']) },
      { id: `${accountId}/${on(2)}`, change: 'changed', fields: fields('90.00', ['-1.00', '1.00']) },
    ]);
    expect(await ledger.events()).toEqual(before);
  });

  test('is published at the head of both feeds, once, with who had it done, and leaves no difference', async () => {
    const cursor = (await feed()).at(-1)!.updated_at;
    const ids = (await feed()).map(({ id }) => id).sort();
    const since = (await days())
      .map(({ at }) => at)
      .sort()
      .at(-1)!;
    await publish();
    expect(await amounts()).toEqual(['-1.00', '-3.50', '-4.00', '5.00']);
    expect((await feed(cursor)).map(({ id }) => id).sort()).toEqual(ids);
    expect(await days()).toMatchObject([
      { date: on(1), balance: '100.00', delta: '-4.50' },
      { date: on(2), balance: '100.00', delta: '1.00' },
    ]);
    expect((await days()).every(({ at }) => at > since)).toBe(true);
    const told = (await ledger.events()).filter(({ type }) => type.endsWith('Remapped'));
    for (const { data } of told) expect(data).toMatchObject(by);
    expect(await publish()).toBe(0);
    expect(await differences()).toEqual([]);
  });

  test('cut off between two pages, it publishes what is left, and a sync meanwhile is not disturbed', async () => {
    await publish(evidence.slice(0, 1));
    const newer = keptAs(3, 0, [row('D', 2, '-4.50'), row('E', 2, '5.00')]);
    await Promise.all([publish(), book(newer, right)]);
    expect(await amounts()).toEqual(['-1.00', '-3.50', '-4.50', '5.00']);
    expect(await publish()).toBe(0);
    const written = await index();
    await ledger.admin.query('TRUNCATE ledger.identity, ledger.identity_head, ledger.covered, ledger.reported_balance');
    await inTransaction(ledger.pool, (tx) => catchUp(tx, ledger.store, account));
    expect(await index()).toEqual(written);
  });

  test('a row that it finds appears, one that it no longer finds goes, by whom and why', async () => {
    const fewer: Mapping = {
      map: (part) => {
        const page = right.map(part);
        return { ...page, rows: page.rows.filter(({ bankId }) => bankId !== 'E') };
      },
    };
    await publish();
    const without = { ...remap, mappings: { json: fewer } };
    expect((await differences(without)).map(({ change, fields }) => [change, fields['amount']])).toEqual([
      ['removed', ['5.00', null]],
      ['changed', undefined],
    ]);
    await listOf(publishRemap(without, pages()));
    expect((await ledger.events()).at(-1)).toMatchObject({ type: 'TransactionWithdrawn', data: by });
    expect((await differences()).map(({ change, fields }) => [change, fields['amount']])).toEqual([
      ['added', [null, '5.00']],
      ['changed', undefined],
    ]);
    await publish();
    expect(await amounts()).toEqual(['-1.00', '-3.50', '-4.00', '5.00']);
    expect(await differences()).toEqual([]);
  });

  test('pages that it cannot read leave their rows as they are, and a closed connection is passed over', async () => {
    const unable: Mapping = {
      map: () => {
        throw new Error('what is this');
      },
    };
    const found = await listOf(previewRemap({ ...remap, mappings: { json: unable } }, pages()));
    expect(found).toEqual(evidence.map(() => ({ accountId, changes: [], refused: true })));
    await closeConnection(ledger, { ...account, at: '2026-03-09T00:00:00.000Z' }, causes);
    expect(await listOf(previewRemap(remap, pages()))).toEqual([]);
    expect(await publish()).toBe(0);
  });
});
