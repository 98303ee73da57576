import type { Sequenced } from '@causeway/event-sourcing';
import type { Difference, Projection } from '@causeway/projections';
import type { TableName } from '@causeway/read-models';
import { describeWithPostgres } from '@causeway/testing';
import { createHash, randomUUID } from 'node:crypto';
import { openGenerations, type Generations } from '../../../testing/generations.ts';
import { transactions } from './transactions.projection.ts';

const seed = Number(process.env['CAUSEWAY_TEST_SEED'] ?? Date.now() % 1_000_000);

type WithContent = Readonly<{ content?: Readonly<{ description: string }> }>;

/** Another version of the fold, which shows some texts otherwise. */
const reading = (version: number, description: (text: string) => string): Projection => ({
  ...transactions,
  version,
  project: (tx, table, batch) => {
    const read = batch.map((event): Sequenced => {
      const { content } = event.data as WithContent;
      if (content === undefined) return event;
      return {
        ...event,
        data: { ...event.data, content: { ...content, description: description(content.description) } },
      };
    });
    return transactions.project(tx, table, read);
  },
});

describeWithPostgres(`corrections of transactions, seed ${seed} (CAUSEWAY_TEST_SEED)`, () => {
  let ledger: Generations;
  beforeAll(async () => void (ledger = await openGenerations(seed, 200)));
  afterAll(() => ledger.close());

  /** All that lists would have shown at an instant. */
  const asOf = async (table: TableName, instant: string): Promise<readonly string[]> => {
    const { rows } = await ledger.pool.query<{ json: string }>(
      `SELECT json FROM (SELECT json, removed, updated_at, 'infinity' AS superseded_at, id FROM ${table('transactions')}
         UNION ALL SELECT json, removed, updated_at, superseded_at, id FROM ${table('transaction_versions')}) r
        WHERE NOT removed AND updated_at <= $1 AND superseded_at > $1 ORDER BY id`,
      [instant],
    );
    return rows.map(({ json }) => json);
  };
  /** Of each instant the rows and their hash: a difference is then a line long. */
  const pastOf = async (table: TableName, instants: readonly string[]): Promise<readonly string[]> => {
    const past: string[] = [];
    for (const at of instants) {
      const rows = await asOf(table, at);
      past.push(`${at} ${rows.length} ${createHash('md5').update(rows.join()).digest('hex')}`);
    }
    return past;
  };

  const differing = async (live: TableName, next: TableName): Promise<readonly Difference[]> => {
    const versions = (of: TableName): string => `(SELECT string_agg(v::text, ' ' ORDER BY updated_at)
      FROM ${of('transaction_versions')} v WHERE v.id = l.id)`;
    const { rows } = await ledger.pool.query<{ id: string }>(
      `SELECT l.id FROM ${live('transactions')} l JOIN ${next('transactions')} n USING (id)
        WHERE l::text <> n::text OR ${versions(live)} IS DISTINCT FROM ${versions(next)}`,
    );
    return rows.map(({ id }) => ({ id, change: 'changed', fields: {} }));
  };
  const corrections = async () => (await ledger.recorded()).filter(({ type }) => type === 'TransactionCorrected');

  test('keep the past as it was answered, over rebuilds by one fold after the other', async () => {
    await ledger.goOn(100);
    let live = await ledger.folded(transactions);
    const folds = [reading(2, (text) => text.replace('row 1', 'Row 1')), reading(3, (text) => `${text}!`)];
    for (const [n, projection] of folds.entries()) {
      const instants = await ledger.instants();
      const past = await pastOf(live.table, instants);
      const next = await ledger.folded(projection);
      const differences = await differing(live.table, next.table);
      expect(differences.length).toBeGreaterThan(0);
      const by = { id: randomUUID(), reason: `version ${projection.version}`, operator: 'upgrade' };
      const [before, known] = [(await corrections()).length, instants.at(-1)!];
      const half = differences.slice(0, differences.length >> 1);
      await ledger.corrected(projection, { live: live.table, next: next.table, differences: half, by });
      // A crash, and all of it once more.
      await ledger.corrected(projection, { live: live.table, next: next.table, differences, by });
      expect((await corrections()).length - before).toBe(differences.length);
      await next.follow();

      expect(await pastOf(next.table, instants)).toEqual(past);
      const { rows } = await ledger.pool.query<{ id: string }>(
        `SELECT id FROM ${next.table('transactions')} WHERE updated_at > $1 ORDER BY id`,
        [known],
      );
      expect(rows.map(({ id }) => id)).toEqual(differences.map(({ id }) => id).sort());
      const rebuilt = await ledger.folded(projection);
      expect(await differing(next.table, rebuilt.table)).toEqual([]);
      live = next;
      const shown = await asOf(next.table, '9999-01-01T00:00:00Z');
      expect(shown.join()).toContain(n === 0 ? 'Row 1' : '!');
      await ledger.goOn(30);
      await live.follow();
    }
  });
});
