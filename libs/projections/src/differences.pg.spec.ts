import { inTransaction } from '@causeway/postgres';
import { describeWithPostgres } from '@causeway/testing';
import { differencesOf, inSnapshot, type Compare, type FoundDifference } from './differences.ts';
import { createGeneration } from './generation.ts';
import { tableOf, type Generation, type Projection } from './projection.ts';
import { openCounting, schema, type Counting } from './testing/tally.ts';

const at = (second: number): string => `2026-01-01T00:00:0${second}.000000Z`;

/** Rows with a past, some of them hidden, and a table beside. */
const items: Projection = {
  name: 'items',
  version: 1,
  tables: ['items', 'aside', 'item_versions'],
  ddl: (table) => [
    `CREATE TABLE ${table('items')} (owner text, day date, amount numeric, hidden boolean NOT NULL DEFAULT false,
       updated_at timestamptz NOT NULL DEFAULT '${at(1)}', json text, PRIMARY KEY (owner, day))`,
    `CREATE TABLE ${table('item_versions')} (owner text, day date, amount numeric, superseded_at timestamptz,
       PRIMARY KEY (owner, day, superseded_at))`,
    `CREATE TABLE ${table('aside')} (owner text PRIMARY KEY, days int)`,
  ],
  indexes: () => [],
  views: () => [],
  compared: { json: 'json', shown: 'NOT hidden', versions: 'item_versions' },
  forgets: () => ({ items: `r.owner = 'forgotten'` }),
  project: async () => undefined,
};

describeWithPostgres('the rows of two generations', () => {
  let counting: Counting;
  let live: Generation;
  let next: Generation;
  beforeEach(async () => {
    counting = await openCounting();
    const make = () => inTransaction(counting.pool, (tx) => createGeneration(tx, schema, items, false));
    [live, next] = [await make(), await make()];
  });
  afterEach(() => counting.close());

  const fill = async (of: Generation, table: string, columns: string, ...rows: string[]): Promise<void> => {
    const into = `${tableOf(schema, of)(table)} (${columns})`;
    await counting.pool.query(`INSERT INTO ${into} VALUES ${rows.map((row) => `(${row})`).join(', ')}`);
  };
  const found = (options: Partial<Compare> = {}): Promise<readonly FoundDifference[]> =>
    inSnapshot(counting.pool, async (tx) => {
      const all: FoundDifference[] = [];
      for await (const batch of differencesOf(tx, { schema, live, next, ...options })) all.push(...batch);
      return all.sort((a, b) => (a.id < b.id ? -1 : 1));
    });
  const ids = async (options?: Partial<Compare>) => (await found(options)).map(({ id, change }) => [id, change]);

  const columns = 'owner, day, amount';
  const rows = [`'a', '2026-01-01', 1.00`, `'a', '2026-01-02', 2`, `'b', '2026-01-01', 3`];

  test('that are the same do not differ', async () => {
    for (const each of [live, next]) await fill(each, 'items', columns, ...rows);
    expect(await found()).toEqual([]);
  });

  test('differ by field, under the name that people know', async () => {
    await fill(live, 'items', columns, ...rows);
    await fill(next, 'items', columns, `'a', '2026-01-01', 1.50`, `'b', '2026-01-01', 3`, `'c', '2026-01-01', 4`);
    expect(await found()).toMatchObject([
      { id: 'a/2026-01-01', change: 'changed', fields: { amount: ['1.00', '1.50'] }, key: ['a', '2026-01-01'] },
      { id: 'a/2026-01-02', change: 'removed', fields: { amount: ['2', null], updatedAt: [at(1), null] } },
      { id: 'c/2026-01-01', change: 'added', fields: { amount: [null, '4'] } },
    ]);
  });

  test('differ in their past, and tell the versions that do', async () => {
    for (const each of [live, next]) await fill(each, 'items', columns, ...rows);
    const past = 'owner, day, amount, superseded_at';
    const same = `'a', '2026-01-01', 7, '${at(1)}'`;
    await fill(live, 'item_versions', past, same, `'a', '2026-01-01', 8, '${at(2)}'`);
    await fill(next, 'item_versions', past, same);
    const version = { owner: 'a', day: '2026-01-01', amount: '8', supersededAt: at(2) };
    expect(await found()).toMatchObject([
      { id: 'a/2026-01-01', change: 'changed', fields: { history: [[version], []] } },
    ]);
  });

  test('are found in batches, each once, however many they are', async () => {
    const many = (n: number) =>
      `INSERT INTO ${tableOf(schema, n === 0 ? live : next)('items')} (owner, day, amount)
       SELECT 'o' || i, '2026-01-01', i % 1000 + ${n} FROM generate_series(1, 2500) i`;
    for (const n of [0, 1]) await counting.pool.query(many(n));
    const sizes = await inSnapshot(counting.pool, async (tx) => {
      const batches: number[] = [];
      for await (const { length } of differencesOf(tx, { schema, live, next })) batches.push(length);
      return batches;
    });
    expect(sizes).toEqual([1000, 1000, 500]);
    expect(new Set((await found()).map(({ id }) => id)).size).toBe(2500);
  });

  test('that nobody is shown, and what stands beside, count only for who compares the whole', async () => {
    await fill(live, 'items', `${columns}, hidden`, `'a', '2026-01-01', 1, true`, `'b', '2026-01-01', 1, true`);
    await fill(next, 'items', `${columns}, hidden`, `'a', '2026-01-01', 2, true`, `'b', '2026-01-01', 1, false`);
    await fill(next, 'aside', 'owner, days', `'a', 3`);
    expect(await ids()).toEqual([['b/2026-01-01', 'added']]);
    expect((await found({ whole: true })).map(({ id, change, shown }) => [id, change, shown])).toEqual([
      ['a/2026-01-01', 'changed', false],
      ['aside/a', 'added', false],
      ['b/2026-01-01', 'added', true],
    ]);
  });

  test('that are forgotten are not compared', async () => {
    await fill(live, 'items', columns, `'forgotten', '2026-01-01', 1`);
    expect(await found()).toEqual([]);
  });

  test('that only one side can know of yet are left out', async () => {
    const changed = `${columns}, updated_at`;
    await fill(live, 'items', changed, `'a', '2026-01-01', 1, '${at(3)}'`, `'b', '2026-01-01', 1, '${at(2)}'`);
    await fill(next, 'items', changed, `'a', '2026-01-01', 2, '${at(1)}'`);
    const stand = (of: Generation, position: number) =>
      counting.pool.query(`UPDATE ${schema}.projection SET position = $2, recorded_at = $3 WHERE generation = $1`, [
        of.generation,
        position,
        at(position),
      ]);
    await stand(live, 3);
    await stand(next, 2);
    expect(await ids()).toEqual([['b/2026-01-01', 'removed']]);
    await stand(next, 3);
    expect(await ids()).toEqual([
      ['a/2026-01-01', 'changed'],
      ['b/2026-01-01', 'removed'],
    ]);
  });

  test('can be looked at by their keys, by the time of their change, and by whose they are', async () => {
    const changed = `${columns}, updated_at`;
    const of = (owner: string, second: number) => `'${owner}', '2026-01-01', ${second}, '${at(second)}'`;
    await fill(live, 'items', changed, of('a', 1), of('b', 2), of('c', 3), of('d', 4));
    expect(
      await ids({
        narrowed: {
          keys: [
            ['a', '2026-01-01'],
            ['x', '2026-01-01'],
          ],
          since: at(4),
        },
      }),
    ).toEqual([
      ['a/2026-01-01', 'removed'],
      ['d/2026-01-01', 'removed'],
    ]);
    expect(await ids({ narrowed: { scope: { column: 'owner', value: 'b' } } })).toEqual([['b/2026-01-01', 'removed']]);
    expect(await ids({ narrowed: { keys: [] } })).toEqual([]);
  });
});
