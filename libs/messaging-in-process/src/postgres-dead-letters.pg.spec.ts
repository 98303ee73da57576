import type { DeadLetter } from '@causeway/messaging';
import { migrate } from '@causeway/postgres';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { deadLetterMigrations, postgresDeadLetters } from './postgres-dead-letters.ts';

describeWithPostgres('dead letters in a table', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
    await migrate(database.url, 'standalone', deadLetterMigrations('standalone'));
  });
  afterAll(() => database.drop());

  const letter: DeadLetter = {
    group: 'ledger',
    topic: 'statements',
    message: {
      id: 'm1',
      type: 'noted',
      key: 'k',
      data: { n: 1 },
      attachment: Buffer.from([0, 255]),
      correlationId: 'req-1',
      causationId: 'e1',
    },
    reason: 'Error: cannot read this',
    attempts: 5,
    firstFailedAt: '2026-03-01T10:00:00.000Z',
    lastFailedAt: '2026-03-01T10:00:02.000Z',
  };
  const rows = async () =>
    (await database.pool.query<object>('SELECT * FROM standalone.dead_letter ORDER BY message_id')).rows;

  test('keep the message whole, with who could not handle it, why and since when', async () => {
    await postgresDeadLetters(database.pool, 'standalone').add(letter);
    const { attachment, ...message } = letter.message;
    expect(await rows()).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        consumer_group: 'ledger',
        topic: 'statements',
        message_id: 'm1',
        message,
        attachment,
        reason: 'Error: cannot read this',
        attempts: 5,
        first_failed_at: letter.firstFailedAt,
        last_failed_at: letter.lastFailedAt,
      },
    ]);
  });

  test('the same message of the same group again is the same letter, with the newest reason', async () => {
    const again = { ...letter, reason: 'Error: still not', lastFailedAt: '2026-03-01T11:00:00.000Z' };
    await postgresDeadLetters(database.pool, 'standalone').add(again);
    expect(await rows()).toMatchObject([
      {
        attempts: 10,
        reason: 'Error: still not',
        first_failed_at: letter.firstFailedAt,
        last_failed_at: again.lastFailedAt,
      },
    ]);
  });
});
