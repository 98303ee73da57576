import { placeOf } from '@causeway/domain/ledger';
import { deliveries, openBank, perform, steps, truthOf, type BankRow } from '@causeway/domain/ledger/testing';
import { openLog } from '@causeway/observability';
import { projector, type Projector } from '@causeway/projections';
import { describeWithPostgres } from '@causeway/testing';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ledgerSchema } from '../migrations.ts';
import { balances } from '../projections/balances/balances.projection.ts';
import { transactions } from '../projections/transactions/transactions.projection.ts';
import { bookPage } from './book-page.ts';
import { account, testLedger, toBook, type TestLedger } from '../../testing/ledger.ts';

const seed = Number(process.env['CAUSEWAY_TEST_SEED'] ?? 20260302);
const accounts = Number(process.env['CAUSEWAY_TEST_SEEDS'] ?? 12);

type Row = Readonly<{
  id: string;
  account_id: string;
  updated_at: string;
  removed: boolean;
  status: string | null;
  posted_date: string | null;
  amount: string | null;
  description: string | null;
}>;

const textOf = ({ status, posted_date: postedDate, amount, description }: Row): string =>
  [status, postedDate ?? '', amount, description].join(' ');

/** Takes what changed since it last asked, all the time. */
const pollingClient = (ledger: TestLedger) => {
  const rows = new Map<string, Row>();
  let cursor: readonly [string, string] = ['-infinity', '00000000-0000-0000-0000-000000000000'];
  const poll = async (): Promise<number> => {
    const { rows: changed } = await ledger.admin.query<Row>(
      `SELECT id, account_id, updated_at::text, removed, status, json::json ->> 'postedDate' AS posted_date,
              json::json ->> 'amount' AS amount, json::json ->> 'description' AS description
         FROM read_models.transactions_v1 WHERE (updated_at, id) > ($1::timestamptz, $2::uuid)
        ORDER BY read_models.transactions_v1.updated_at, id LIMIT 50`,
      [...cursor],
    );
    for (const row of changed) {
      rows.set(row.id, row);
      cursor = [row.updated_at, row.id];
    }
    return changed.length;
  };
  return {
    poll,
    shown: (accountId: string): string[] =>
      [...rows.values()]
        .filter((row) => row.account_id === accountId && !row.removed && row.status !== 'cancelled')
        .map(textOf)
        .sort(),
  };
};

describeWithPostgres(`pages in an order that no bus would give them (seed ${seed})`, () => {
  let ledger: TestLedger;
  let views: Projector;
  beforeAll(async () => {
    ledger = await testLedger();
    const projections = [transactions, balances];
    const log = openLog('ledger', 'silent');
    views = projector({ pool: ledger.admin, schema: ledgerSchema, store: ledger.store, projections, log });
    views.start();
    await views.made();
  });
  afterAll(async () => {
    await views.stop();
    await ledger.drop();
  });

  /** Books the pages of twenty syncs of a bank, and answers what the bank's record is in the end. */
  const syncs = async (accountId: string, chance: number): Promise<readonly BankRow[]> => {
    const words = fc.constantFrom<string | undefined>('COFFEE', 'LUNCH', undefined);
    const [history] = fc.sample(steps(words, 20), { seed: chance, numRuns: 1 });
    const bank = openBank();
    const pages = deliveries(chance, history!, (between) => {
      for (const step of between) perform(bank, step);
      return bank;
    });
    const runs = Array.from({ length: 21 }, () => randomUUID());
    for (const { run, number, page } of pages) {
      const task = toBook(page, run, number, runs[run]);
      await bookPage(ledger, { ...task, place: placeOf(run, number), account: { ...account, accountId } });
    }
    return bank.rows;
  };

  test('leave a client that polls throughout with the bank’s record, and no projection behind', async () => {
    const client = pollingClient(ledger);
    const records = new Map<string, readonly BankRow[]>();
    let booking = true;
    const polling = (async () => {
      while (booking) if ((await client.poll()) === 0) await sleep(5);
    })();
    try {
      for (let n = 0; n < accounts; n++) {
        const accountId = randomUUID();
        records.set(accountId, await syncs(accountId, seed + n));
      }
    } finally {
      booking = false;
      await polling;
    }
    expect(await views.caughtUp([transactions.name, balances.name], 30_000)).toBe(true);
    while ((await client.poll()) > 0);
    for (const [accountId, rows] of records) expect(client.shown(accountId)).toEqual(rows.map(truthOf).sort());
  });
});
