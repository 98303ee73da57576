import {
  addRequest,
  finished,
  projector,
  requestById,
  type Projector,
  type ProjectionRequest,
  type Scope,
} from '@causeway/projections';
import { describeWithPostgres } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { openGenerations, type Generations } from '../../testing/generations.ts';
import { connections, uuidOf } from '../../testing/history.ts';
import { balances } from './balances/balances.projection.ts';
import { transactions } from './transactions/transactions.projection.ts';

const seed = Number(process.env['CAUSEWAY_TEST_SEED'] ?? Date.now() % 1_000_000);
const soon = 30_000;

describeWithPostgres(`the read models of the ledger are verified, seed ${seed} (CAUSEWAY_TEST_SEED)`, () => {
  let ledger: Generations;
  let running: Projector;
  beforeEach(async () => {
    ledger = await openGenerations(seed, 400);
    const { pool } = ledger;
    const log = pino({ level: 'silent' });
    const store = ledger.newStore();
    running = projector({ pool, schema: 'ledger', store, projections: [transactions, balances], log });
    running.start();
    await ledger.goOn(200);
    await shown();
  });
  afterEach(async () => {
    await running.stop();
    await ledger.close();
  });

  const shown = async (): Promise<void> => {
    const last = (await ledger.recorded()).at(-1)!;
    for (const { name } of [transactions, balances]) await running.passed(name, last.position, soon);
  };
  const done = async (asked: ProjectionRequest): Promise<ProjectionRequest> => {
    for (;;) {
      const request = (await requestById(ledger.pool, 'ledger', asked.id))!;
      if (finished.includes(request.state)) return request;
      await sleep(20);
    }
  };
  const verify = async (name: string, scope: Scope | null = null) =>
    done(await addRequest(ledger.pool, 'ledger', { name, kind: 'verify', whenReady: 'drop', scope }));
  const mend = async (name: string, scope: Scope | null = null) => {
    const by = { reason: 'a slip', operator: 'ada' };
    return done(await addRequest(ledger.pool, 'ledger', { name, kind: 'verify', whenReady: 'switch', scope, ...by }));
  };

  type Row = Readonly<{ id: string; accountId: string; json: string; removed: boolean; at: string }>;
  const rows = async (where = 'true'): Promise<readonly Row[]> => {
    const { rows: found } = await ledger.pool.query<Row>(
      `SELECT id, account_id AS "accountId", json, removed, updated_at::text AS at FROM ledger.transactions_v1_g1
        WHERE ${where} ORDER BY updated_at, id`,
    );
    return found;
  };
  const sql = (text: string) => ledger.pool.query(text);
  const account: Scope = { of: 'account', id: uuidOf('0a', 0) };

  /** One row says another amount, one is gone, one was never at the bank: all of one account. */
  const tamper = async () => {
    const [one, two] = await rows(`NOT removed AND account_id = '${account.id}'`);
    const json = JSON.stringify({ ...(JSON.parse(one!.json) as object), amount: '31.41' });
    await ledger.pool.query('UPDATE ledger.transactions_v1_g1 SET json = $2 WHERE id = $1', [one?.id, json]);
    await sql(`DELETE FROM ledger.transactions_v1_g1 WHERE id = '${two?.id}'`);
    const extra = randomUUID();
    await sql(`INSERT INTO ledger.transactions_v1_g1
      SELECT (jsonb_populate_record(r, jsonb_build_object('id', '${extra}'))).* FROM ledger.transactions_v1_g1 r
       WHERE id = '${one?.id}'`);
    return { one: one!, two: two!, extra };
  };
  const found = { added: 1, changed: 1, removed: 1 };
  const none = { added: 0, changed: 0, removed: 0 };

  test('are what the events say, whole and in part', async () => {
    for (const { name } of [transactions, balances]) expect(await verify(name)).toMatchObject({ state: 'equal' });
    const events = (await ledger.recorded()).filter(({ stream }) => stream === `ledger-${account.id}`);
    expect(await verify('transactions', account)).toMatchObject({ state: 'equal', events: events.length, ...none });
    for (const { name } of [transactions, balances]) {
      expect(await verify(name, { of: 'connection', id: connections[1]! })).toMatchObject({ state: 'equal' });
      expect(await verify(name, { of: 'organization', id: 'demo' })).toMatchObject({ state: 'equal' });
    }
    const unknown = await verify('transactions', { of: 'account', id: randomUUID() });
    expect(unknown).toMatchObject({ state: 'failed', detail: expect.stringContaining('nothing is known of account') });
  });

  test.each([['alone', account] as const, ['with all others', null] as const])(
    'transactions that were tampered with are mended at the head of the feed: one account %s',
    async (_how, scope) => {
      const before = await rows();
      const { one, two, extra } = await tamper();
      expect(await verify('transactions', { of: 'account', id: uuidOf('0a', 1) })).toMatchObject({ state: 'equal' });
      expect(await verify('transactions', scope)).toMatchObject({ state: 'different', ...found });
      const outcome = mend('transactions', scope);
      await ledger.goOn(100);
      expect(await outcome).toMatchObject({ state: 'different', ...found });
      await shown();

      const now = new Map((await rows()).map((row) => [row.id, row]));
      expect(now.get(extra)).toMatchObject({ removed: true });
      const latest = before.at(-1)!.at;
      for (const { id } of [one, two, { id: extra }]) expect((now.get(id)?.at ?? '') > latest).toBe(true);
      const corrections = (await ledger.recorded()).filter(({ type }) => type === 'TransactionCorrected');
      expect(corrections).toHaveLength(3);
      expect(JSON.stringify(corrections.map(({ data }) => data))).toContain('"reason":"a slip","operator":"ada"');
      expect(await verify('transactions')).toMatchObject({ state: 'equal', ...none });
    },
  );

  test('a past that was tampered with is found', async () => {
    const { rows: versions } = await ledger.pool.query<{ id: string }>(
      `UPDATE ledger.transaction_versions_v1_g1 SET json = replace(json, '"amount":"', '"amount":"9')
        WHERE ctid = (SELECT ctid FROM ledger.transaction_versions_v1_g1 WHERE json LIKE '%amount%' LIMIT 1)
        RETURNING id`,
    );
    expect(versions).toHaveLength(1);
    expect(await verify('transactions')).toMatchObject({ state: 'different', ...none, changed: 1 });
    expect(await mend('transactions')).toMatchObject({ state: 'different', changed: 1 });
    expect(await verify('transactions')).toMatchObject({ state: 'equal' });
  });

  test('rows that were broken, or made up of another ledger, are mended', async () => {
    const [row] = await rows('NOT removed');
    await ledger.pool.query(`UPDATE ledger.transactions_v1_g1 SET json = '{' WHERE id = $1`, [row?.id]);
    const other = { id: randomUUID(), account_id: randomUUID(), connection_id: randomUUID() };
    await ledger.pool.query(
      `INSERT INTO ledger.transactions_v1_g1
       SELECT (jsonb_populate_record(r, $2)).* FROM ledger.transactions_v1_g1 r WHERE id = $1`,
      [row?.id, other],
    );
    expect(await mend('transactions')).toMatchObject({ state: 'different', added: 0, changed: 1, removed: 1 });
    await ledger.goOn(20);
    await shown();
    expect(await verify('transactions')).toMatchObject({ state: 'equal' });
    expect(await rows(`id = '${other.id}'`)).toEqual([]);
    expect((await rows(`id = '${row?.id}'`)).map(({ json }) => JSON.parse(json) as object)).toHaveLength(1);
  });

  test('balances that were tampered with are mended at the head of the feed', async () => {
    const shownDays = 'SELECT account_id, date FROM ledger.balances_v1_g1 WHERE ledger_balance IS NOT NULL';
    const days = await sql(`UPDATE ledger.balances_v1_g1 SET ledger_balance = ledger_balance + 1
      WHERE (account_id, date) IN (${shownDays} LIMIT 3) RETURNING account_id`);
    expect(days.rowCount).toBe(3);
    const { rows: latest } = await sql(`SELECT max(updated_at)::text AS at FROM ledger.balances_v1_g1`);
    expect(await mend('balances')).toMatchObject({ state: 'different', changed: 3 });
    const { rows: moved } = await ledger.pool.query(
      'SELECT cause, reason FROM ledger.balances_v1_g1 WHERE updated_at > $1::timestamptz',
      [(latest[0] as { at: string }).at],
    );
    expect(moved).toEqual(Array.from({ length: 3 }, () => ({ cause: 'corrected', reason: 'a slip' })));
    expect(await verify('balances')).toMatchObject({ state: 'equal' });
  });
});
