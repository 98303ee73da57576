import { openLog } from '@causeway/observability';
import { projector, type Projector } from '@causeway/projections';
import { discrepancies, type Discrepancy, type DiscrepancyFilters } from '@causeway/read-models';
import { describeWithPostgres } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { accountId, connectionId, posted, testLedger, toBook, type TestLedger } from '../../../testing/ledger.ts';
import { bookPage } from '../../booking/book-page.ts';
import { ledgerSchema as schema } from '../../migrations.ts';
import { balances } from './balances.projection.ts';
import { discrepancyCount } from './discrepancy-count.ts';

const on = (day: number): string => `2026-03-0${day}`;

describeWithPostgres('daily balances that the bank states otherwise than its rows add up', () => {
  let ledger: TestLedger;
  let views: Projector;
  let run = 0;
  beforeAll(async () => {
    ledger = await testLedger();
    const { admin: pool, store } = ledger;
    const log = openLog('spec', 'silent');
    views = projector({ pool, schema, store, projections: [balances], log, leaseTtlMs: 500 });
    views.start();
    await views.made();
  });
  afterAll(async () => {
    await views.stop();
    await ledger.drop();
  });

  /** A page of the 1st to the 9th, with the balances that it states. */
  const book = async (stated: Readonly<Record<number, string>>): Promise<void> => {
    const rows = [1, 3, 5].map((day) => posted({ bankId: String(day), day: on(day), amount: '-10.00' }));
    const closingBalances = Object.entries(stated).map(([day, amount]) => ({ date: on(Number(day)), amount }));
    const page = { coverage: { posted: { from: on(1), to: on(9) }, pending: null }, rows, closingBalances };
    await bookPage(ledger, toBook(page, ++run, 0, randomUUID()));
    expect(await views.passed('balances', await ledger.store.head(), 20_000)).toBe(true);
  };
  const found = async (filters: DiscrepancyFilters = {}): Promise<readonly Discrepancy[]> => {
    const { text, values } = discrepancies(filters);
    return (await ledger.admin.query<Discrepancy>(text, [...values])).rows;
  };
  const counted = async (): Promise<number | undefined> => {
    const count = discrepancyCount(ledger.admin);
    count();
    for (let looks = 0; looks < 100 && count() === undefined; looks++) await new Promise((go) => setTimeout(go, 20));
    return count();
  };

  test('there are none while all adds up, what is derived included', async () => {
    await book({ 1: '100.00', 6: '80.00' });
    expect(await found()).toEqual([]);
    expect(await counted()).toBe(0);
  });

  test('are found by account, connection and organization, and counted', async () => {
    await book({ 3: '95.00' });
    const wrong = [
      { accountId, date: on(3), expected: '90.00', reported: '95.00', difference: '5.00' },
      { accountId, date: on(6), expected: '85.00', reported: '80.00', difference: '-5.00' },
    ];
    expect(await found()).toEqual(wrong);
    expect(await found({ accountId, connectionId, organization: 'demo' })).toEqual(wrong);
    for (const other of [{ accountId: connectionId }, { connectionId: accountId }, { organization: 'other' }])
      expect(await found(other)).toEqual([]);
    expect(await counted()).toBe(2);
  });

  test('are gone once the bank states what adds up', async () => {
    await book({ 3: '90.00' });
    expect(await found()).toEqual([]);
  });
});
