import { newStream, numbered } from '@causeway/event-sourcing/testing';
import { describeWithPostgres } from '@causeway/testing';
import { postgresStoreUnderTest, schema, type PostgresStoreUnderTest } from './testing/store.ts';

describeWithPostgres('bank data in the store', () => {
  let made: PostgresStoreUnderTest;
  beforeAll(async () => {
    made = await postgresStoreUnderTest();
  });
  afterAll(() => made.close());

  const storedUnder = async (connection: string | null) => {
    const stream = newStream();
    await made.store.append(numbered(stream, 0, 3, connection));
    const { rows } = await made.owner.query<{ payload: Buffer }>(
      `SELECT payload FROM ${schema}.append WHERE stream = $1`,
      [stream],
    );
    return { stream, payload: (rows[0] as { payload: Buffer }).payload };
  };

  test('is one ciphertext for each append; what holds none is plain', async () => {
    const secret = await storedUnder(await made.newConnection());
    expect(secret.payload.includes('Counted')).toBe(false);
    expect((await storedUnder(null)).payload.includes('Counted')).toBe(true);
  });

  test('does not decrypt once it was moved to another stream, another revision or another connection', async () => {
    const connection = await made.newConnection();
    const other = await made.newConnection();
    for (const change of ['stream = stream || 0', 'last_revision = last_revision + 1', `data_key = '${other}'`]) {
      const { stream } = await storedUnder(connection);
      await made.owner.query(`UPDATE ${schema}.append SET ${change} WHERE stream = $1`, [stream]);
      const found = change.startsWith('stream') ? (`${stream}0` as const) : stream;
      await expect(made.store.readStream(found)).rejects.toThrow(/another (place|key)/);
    }
  });

  test('that does not decrypt is told of as that to subscriptions, and keeps nothing else from them', async () => {
    const [connection, other] = [await made.newConnection(), await made.newConnection()];
    const after = await made.store.head();
    const streams = [newStream(), newStream(), newStream()] as const;
    for (const stream of streams) await made.store.append(numbered(stream, 0, 2, connection));
    await made.store.head();
    await made.owner.query(`UPDATE ${schema}.append SET data_key = '${other}' WHERE stream = $1`, [streams[1]]);
    const { events, position } = await made.store.readAll(after, 100);
    expect(position).toBe(after + 6);
    expect(events.map(({ stream, type, data }) => [stream, type, data])).toEqual(
      streams.flatMap((stream, i) =>
        [0, 1].map((n) => (i === 1 ? [stream, 'Unreadable', {}] : [stream, 'Counted', { n }])),
      ),
    );
  });

  test('was stored as it came: neither ciphertext nor ids are compressed', async () => {
    const { rows } = await made.owner.query(
      `SELECT attname, attstorage FROM pg_attribute WHERE attrelid = '${schema}.append'::regclass AND attname IN ('payload', 'event_ids') ORDER BY 1`,
    );
    expect(rows).toEqual([
      { attname: 'event_ids', attstorage: 'e' },
      { attname: 'payload', attstorage: 'e' },
    ]);
  });
});
