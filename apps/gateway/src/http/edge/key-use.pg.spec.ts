import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { keyUse } from './key-use.ts';

const throwing = (error: unknown): never => {
  throw error;
};

describeWithPostgres('the last use of keys', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
    await database.pool.query(
      'CREATE SCHEMA gateway; CREATE TABLE gateway.api_key_use (key_id text PRIMARY KEY, last_used_at timestamptz NOT NULL)',
    );
  });
  afterAll(() => database.drop());

  /** What a process writes that saw the keys used then. */
  const seen = async (at: string, ...keyIds: readonly string[]): Promise<void> => {
    const use = keyUse(database.pool, () => Date.parse(at), throwing);
    keyIds.forEach(use.used);
    await use.stop();
  };

  test('is the latest that any process saw, in whichever order they write', async () => {
    await seen('2026-03-01T12:00:02.000Z', 'one', 'two');
    await seen('2026-03-01T12:00:01.000Z', 'one', 'three');
    await seen('2026-03-01T12:00:03.000Z', 'two');
    const { rows } = await database.pool.query<object>(
      'SELECT key_id AS "keyId", last_used_at AS at FROM gateway.api_key_use ORDER BY at',
    );
    expect(rows).toEqual([
      { keyId: 'three', at: '2026-03-01T12:00:01.000Z' },
      { keyId: 'one', at: '2026-03-01T12:00:02.000Z' },
      { keyId: 'two', at: '2026-03-01T12:00:03.000Z' },
    ]);
  });

  test('that cannot be written is told, and the next one is written', async () => {
    const faults: unknown[] = [];
    await database.pool.query('ALTER TABLE gateway.api_key_use RENAME TO away');
    const use = keyUse(database.pool, Date.now, (error) => faults.push(error));
    use.used('four');
    await use.stop();
    await database.pool.query('ALTER TABLE gateway.away RENAME TO api_key_use');
    use.used('five');
    await use.stop();
    expect(faults).toHaveLength(1);
    const { rowCount } = await database.pool.query(`SELECT FROM gateway.api_key_use WHERE key_id = 'five'`);
    expect(rowCount).toBe(1);
  });
});
