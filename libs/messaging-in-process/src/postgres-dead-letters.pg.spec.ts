import type { DeadLetter, Message } from '@causeway/messaging';
import { eventually } from '@causeway/messaging/testing';
import { migrate } from '@causeway/postgres';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { inProcessBroker } from './broker.ts';
import { deadLetterMigrations, postgresDeadLetters } from './postgres-dead-letters.ts';
import { retryLetters } from './retry-letters.ts';

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
        retry_asked_at: null,
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

  test('are delivered again when asked for: gone when handled, kept with the new reason when not', async () => {
    const letters = postgresDeadLetters(database.pool, 'standalone');
    const broker = inProcessBroker({ deadLetters: letters, attemptsMax: 1, backoffMs: 1 });
    const got: Message[] = [];
    let fails = true;
    const noted = async (message: Message): Promise<void> => {
      got.push(message);
      if (fails) throw new Error('not this time');
    };
    const events = new Map([['noted', noted]]);
    await broker.consume({ group: 'ledger', topics: ['statements'], events, commands: new Map() });
    await broker.consume({ group: 'other', topics: ['statements'], events, commands: new Map() });
    broker.open();
    const stop = new AbortController();
    const retrying = retryLetters(broker, letters, stop.signal);

    const [kept] = await letters.list();
    expect(kept).toMatchObject({ group: 'ledger', message: letter.message, attempts: 10 });
    const id = kept?.id ?? '';
    expect(await letters.retry(id)).toBe('asked');
    await eventually(async () =>
      expect(await letters.list()).toMatchObject([{ id, reason: 'Error: not this time', attempts: 11 }]),
    );
    expect(await letters.asked()).toEqual([]);

    fails = false;
    await letters.retry(id);
    await eventually(async () => expect(await letters.list()).toEqual([]));
    expect(got).toEqual([letter.message, letter.message]);
    stop.abort();
    await retrying;
    await broker.close();
  });

  test('are dropped on request, and what is not there is unknown', async () => {
    const letters = postgresDeadLetters(database.pool, 'standalone');
    await letters.add(letter);
    const [kept] = await letters.list();
    expect(await letters.drop(kept?.id ?? '')).toBe('dropped');
    expect([await letters.drop(kept?.id ?? ''), await letters.retry('no id')]).toEqual(['unknown', 'unknown']);
    expect(await letters.list()).toEqual([]);
  });
});
