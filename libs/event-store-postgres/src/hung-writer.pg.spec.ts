import { newStream, numbered } from '@causeway/event-sourcing/testing';
import { describeWithPostgres, withRoom } from '@causeway/testing';
import { postgresStoreUnderTest, schema, type PostgresStoreUnderTest } from './testing/store.ts';

describeWithPostgres('a writer that hangs with its stream locked', () => {
  let made: PostgresStoreUnderTest;
  beforeEach(async () => {
    made = await postgresStoreUnderTest();
  });
  afterEach(() => made.close());

  const hang = async (stream: string) => {
    const client = await made.owner.connect();
    await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    await client.query(
      `SELECT ${schema}.append($1, -1, ARRAY[gen_random_uuid()], '{}', NULL, ' [{"type":"Hung","data":{}}]')`,
      [stream],
    );
    return client;
  };

  test('holds up nobody else, neither appends nor the order', async () => {
    const stream = newStream();
    const hung = await hang(stream);
    const behind = [made.store.append(numbered(stream, 0)), made.store.append(numbered(stream, 0))];
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => made.store.append(numbered(newStream(), 0))));
    expect(new Set(outcomes)).toEqual(new Set(['appended']));
    expect(await made.store.head()).toBe(50);
    await hung.query('COMMIT');
    hung.release();
    expect(await Promise.all(behind)).toEqual(['conflict', 'conflict']);
    expect(await made.store.head()).toBe(51);
  });

  test('is waited for by others of its stream for 5 s; then they fail, and nothing of theirs is stored', async () => {
    const stream = newStream();
    const hung = await hang(stream);
    const begun = performance.now();
    await expect(made.store.append(numbered(stream, 0))).rejects.toThrow('lock timeout');
    expect(performance.now() - begun).toBeLessThan(withRoom(5000));
    await hung.query('ROLLBACK');
    hung.release();
    expect(await made.store.readStream(stream)).toEqual([]);
    expect(await made.store.append(numbered(stream, 0))).toBe('appended');
  });
});
