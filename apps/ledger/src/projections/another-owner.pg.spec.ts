import { ledgerStream } from '@causeway/booking';
import { postgresEventStore } from '@causeway/event-store-postgres';
import { openLog } from '@causeway/observability';
import { mendParked, parkedStreams, projector } from '@causeway/projections';
import { describeWithPostgres } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { bookPage } from '../booking/book-page.ts';
import {
  account,
  accountId,
  booksOf,
  connectionId,
  day,
  keysOfOwner,
  rowsOn,
  testLedger,
  toBook,
  type TestLedger,
} from '../../testing/ledger.ts';
import { ledgerEventsSchema, ledgerSchema as schema } from '../migrations.ts';
import { balances } from './balances/balances.projection.ts';
import { transactions } from './transactions/transactions.projection.ts';

const projections = [transactions, balances];
const soon = 20_000;

describeWithPostgres('a connection whose data key names another owner', () => {
  let ledger: TestLedger;
  beforeAll(async () => void (ledger = await testLedger()));
  afterAll(() => ledger.drop());

  const name = (organization: string) =>
    ledger.admin.query('UPDATE data_keys.data_key SET organization = $2 WHERE id = $1', [connectionId, organization]);
  const mend = async (): Promise<void> => {
    const stream = ledgerStream(accountId);
    for (const { name, version } of projections) await mendParked(ledger.store, { stream, projection: name, version });
  };
  /** What a process that starts now makes of all that was booked, and which streams it parks. */
  const shown = async () => {
    const { admin: pool } = ledger;
    const store = postgresEventStore({ pool, schema: ledgerEventsSchema, dataKeys: keysOfOwner(pool) });
    const running = projector({ pool, schema, store, projections, log: openLog('spec', 'silent'), leaseTtlMs: 500 });
    running.start();
    await running.made();
    const head = await store.head();
    for (const { name } of projections) expect(await running.passed(name, head, soon)).toBe(true);
    await running.stop();
    await store.close();
    const { rows } = await pool.query<{ id: string; organization: string }>(
      'SELECT account_id AS id, organization FROM read_models.transactions_v1 ORDER BY updated_at',
    );
    return { rows, parked: (await parkedStreams(pool, schema)).map(({ stream }) => stream) };
  };

  test('is read by nobody, holds up nobody else, and comes back when it is set right and mended', async () => {
    const others = { ...account, accountId: randomUUID(), connectionId: randomUUID() };
    await keysOfOwner(ledger.admin).create(others.connectionId, account);
    const page = toBook(booksOf(day, rowsOn(day, 1)));
    await bookPage(ledger, page);
    await bookPage(ledger, { ...page, account: others, runId: randomUUID() });
    const [own, another] = [accountId, others.accountId].map((id) => ({ id, organization: 'demo' }));
    const stream = ledgerStream(accountId);

    await name('other');
    const unread = { rows: [another], parked: [stream, stream] };
    expect(await shown()).toEqual(unread);
    await mend();
    expect(await shown()).toEqual(unread);
    await name('demo');
    await mend();
    expect(await shown()).toEqual({ rows: [another, own], parked: [] });
  });
});
