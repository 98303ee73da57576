import type { Revision } from '@causeway/event-sourcing';
import { projector } from '@causeway/projections';
import { describeWithPostgres } from '@causeway/testing';
import { pino } from 'pino';
import { v7 as uuidV7 } from 'uuid';
import { testLedger, type TestLedger } from '../../testing/ledger.ts';
import { ledgerSchema } from '../migrations.ts';
import { transactions } from '../projections/transactions/transactions.projection.ts';
import { transactionsVersion } from '../projections/transactions/transactions.table.ts';
import { forgetOld } from './retention.ts';

const dayMs = 86_400_000;
const old = uuidV7({ msecs: Date.now() - 91 * dayMs });
const recent = uuidV7({ msecs: Date.now() - 89 * dayMs });
const [erased, living] = [uuidV7(), uuidV7()];
const table = `ledger.transactions_v${transactionsVersion}_g1`;

describeWithPostgres('what the ledger need not keep', () => {
  let ledger: TestLedger;
  beforeAll(async () => {
    ledger = await testLedger();
    const { admin: pool, store } = ledger;
    const log = pino({ level: 'silent' });
    const views = projector({ pool, schema: ledgerSchema, store, projections: [transactions], log });
    views.start();
    await views.made();
    await views.stop();
  });
  afterAll(() => ledger.drop());

  const rows = async (sql: string): Promise<readonly object[]> => (await ledger.admin.query<object>(sql)).rows;

  test('goes after 90 days: the booking of a run, and what a run that never ended left', async () => {
    const metadata = { correlationId: 'c', causationId: 'c', organization: null, environment: null };
    for (const runId of [old, recent]) {
      await rows(`INSERT INTO ledger.run (run_id, connection_id) VALUES ('${runId}', gen_random_uuid())`);
      await rows(
        `INSERT INTO ledger.run_page (run_id, connection_id, page, account_id) VALUES ('${runId}', '${old}', 0, '${old}')`,
      );
      await rows(`INSERT INTO ledger.statement_part VALUES ('${runId}', '${old}', 1, 0, 'cipher')`);
      const events = [{ id: uuidV7(), type: 'StatementBooked', data: {} }];
      await ledger.store.append({ stream: `booking-${runId}`, expected: 'no-stream', events, metadata, dataKey: null });
    }
    await forgetOld(ledger.admin, ledger.store, Date.now());
    for (const table of ['run', 'run_page', 'statement_part']) {
      expect(await rows(`SELECT run_id FROM ledger.${table}`)).toEqual([{ run_id: recent }]);
    }
    expect(await ledger.store.readStream(`booking-${old}`)).toEqual([]);
    expect((await ledger.store.readStream(`booking-${recent}`)).at(-1)?.revision).toBe(0 as Revision);
  });

  test('goes once every cursor has expired: removed rows of an erased connection, and no others', async () => {
    await rows(`INSERT INTO ledger.erased_connection_v${transactionsVersion}_g1 VALUES ('${erased}')`);
    const add = (whose: string, isRemoved: boolean, daysAgo: number) =>
      rows(`INSERT INTO ${table} (id, organization, environment, entity_id, connection_id, account_id, added_at,
              updated_at, event_id, removed)
            VALUES (gen_random_uuid(), 'o', 'test', '${whose}', '${whose}', '${whose}', now(),
              now() - interval '${daysAgo} days', gen_random_uuid(), ${isRemoved})`);
    for (const whose of [erased, living]) {
      await add(whose, true, 93);
      await add(whose, true, 90);
      await add(whose, false, 93);
    }
    await forgetOld(ledger.admin, ledger.store, Date.now());
    const left = await rows(`SELECT connection_id, removed, count(*) FROM ${table} GROUP BY 1, 2 ORDER BY 1, 2`);
    expect(left).toEqual([
      { connection_id: erased, removed: false, count: 1 },
      { connection_id: erased, removed: true, count: 1 },
      { connection_id: living, removed: false, count: 1 },
      { connection_id: living, removed: true, count: 2 },
    ]);
  });
});
