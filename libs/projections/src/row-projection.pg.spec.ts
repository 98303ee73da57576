import type { RecordedAt, Sequenced } from '@causeway/event-sourcing';
import { inTransaction, type Pool } from '@causeway/postgres';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { rowProjection } from './row-projection.ts';

type Odd = Readonly<{
  id: string;
  text: string | null;
  json: unknown;
  amount: string | null;
  flag: boolean | null;
  changedAt: string | null;
  day: string | null;
  list: readonly string[] | null;
  other: string | null;
}>;
type Put = Readonly<{ type: 'Put' | 'Removed' | 'Unforeseen'; data: Odd }>;

const odd = rowProjection<Odd, Put>({
  ...{ name: 'odd', version: 1, table: 'odd', key: 'id' },
  columns: {
    ...{ id: 'text', text: 'text', json: 'jsonb', amount: 'numeric', flag: 'boolean', changedAt: 'timestamptz' },
    ...{ day: 'date', list: 'text[]', other: 'uuid' },
  },
  keysOf: ({ data }) => [data.id],
  closes: ({ type }) => type === 'Removed',
  apply: (_, { type, data }) => (type === 'Put' ? data : undefined),
  views: () => [],
});

const texts = ['', 'a"b\\c', '\\N', 'NULL', 'tab\tline\nend\r', 'nul\0', '\ud83d half', '🏦', '{"a":1}', '\\u0000'];
const rowOf = (n: number): Odd => {
  const text = texts[n % texts.length] as string;
  if (n % 7 === 0) {
    const none = { amount: null, flag: null, changedAt: null, day: null, list: null, other: null };
    return { id: `row ${n}`, text: null, json: null, ...none };
  }
  return {
    ...{ id: `row ${n}`, text, json: { [text]: [text, n, null] }, amount: `-${n}.10`, flag: n % 2 === 0 },
    ...{ changedAt: '2026-03-01T10:00:00.123456Z', day: '2026-03-01', list: [text, ''] },
    other: '0b2f5e1c-6f1d-4b43-9b52-1c2d3e4f5a6b',
  };
};
const events = (type: Put['type'], from: number, to: number, of = rowOf): Sequenced[] =>
  Array.from({ length: to - from }, (_, i) => ({
    ...{
      type,
      data: of(from + i),
      id: '',
      stream: 'odd-1',
      revision: 0,
      position: from + i,
      recordedAt: 0 as RecordedAt,
    },
    metadata: { correlationId: '', causationId: '', organization: null, environment: null },
  })) as unknown as Sequenced[];

describeWithPostgres('rows', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  /** What is in a table of its own after the batches. */
  const after = async (pool: Pool, name: string, batches: readonly (readonly Sequenced[])[]) => {
    for (const statement of odd.ddl(() => name)) await pool.query(statement);
    for (const batch of batches) await inTransaction(pool, (tx) => odd.project(tx, () => name, batch));
    return (await pool.query<object>(`SELECT r::text FROM ${name} r ORDER BY id`)).rows;
  };

  test('are the same, whether few are written at once or many', async () => {
    const all = [...events('Put', 0, 150), ...events('Removed', 0, 20)];
    const changed = (n: number): Odd => ({ ...rowOf(n + 1), id: `row ${n}` });
    const again = events('Put', 10, 150, changed);
    const many = await after(database.pool, 'many', [all, again]);
    const cut = [...all, ...again];
    const pieces = Array.from({ length: cut.length / 10 }, (_, i) => cut.slice(10 * i, 10 * i + 10));
    expect(await after(database.pool, 'few', pieces)).toEqual(many);
    expect(many).toHaveLength(140);
  });

  test('are not lost by an event that does not close them: that is a fault', async () => {
    const kept = await after(database.pool, 'lost', [events('Put', 0, 3)]);
    const unforeseen = inTransaction(database.pool, (tx) => odd.project(tx, () => 'lost', events('Unforeseen', 1, 2)));
    await expect(unforeseen).rejects.toThrow('odd: Unforeseen does not close a row, and left none');
    expect((await database.pool.query<object>('SELECT r::text FROM lost r ORDER BY id')).rows).toEqual(kept);
  });
});
