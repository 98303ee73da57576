import { dataKeyMigrations, connectionKeysSchema, postgresDataKeys, type DataKeys } from '@causeway/data-keys';
import type { Append, StreamName } from '@causeway/event-sourcing';
import { numbered } from '@causeway/event-sourcing/testing';
import { migrate } from '@causeway/postgres';
import { describeWithPostgres, testDatabase } from '@causeway/testing';
import type { EventData, RecordedEvent } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { fromServer, fromServerOrNot, placeOf, toServer } from './held.ts';

const stream: StreamName = 'thing-1';

/** What the client makes of bytes that the server gives back as it was given them. */
const stored = (events: readonly EventData[], firstRevision: number): RecordedEvent[] =>
  events.map(
    ({ id, type, data, metadata, contentType }, i) =>
      ({
        ...{ id, type, streamId: `spec.${stream}`, revision: BigInt(firstRevision + i) },
        data: contentType === 'application/json' ? (JSON.parse(JSON.stringify(data)) as object) : Uint8Array.from(data),
        metadata: JSON.parse(JSON.stringify(metadata)) as object,
      }) as RecordedEvent,
  );

const sizeOf = (events: readonly EventData[]): number =>
  events.reduce((sum, { type, data, metadata }) => {
    const bytes = data instanceof Uint8Array ? data.length : JSON.stringify(data).length;
    return sum + bytes + JSON.stringify(metadata).length + type.length * 2;
  }, 0);

describeWithPostgres('an append on the server', () => {
  let dataKeys: DataKeys;
  let drop: () => Promise<void>;
  let dataKey: string;
  beforeAll(async () => {
    const database = await testDatabase();
    ({ drop } = database);
    await migrate(database.url, connectionKeysSchema, dataKeyMigrations({ owner: 'causeway_spec_keys', readers: [] }));
    dataKeys = postgresDataKeys({ pool: database.pool, masterKeys: [{ id: '1', key: Buffer.alloc(32, 7) }] });
    dataKey = randomUUID();
    await dataKeys.create(dataKey, { organization: 'demo', environment: 'test' });
  });
  afterAll(() => drop());

  test.each(['in clear', 'under a data key'])('comes back as it was given, %s', async (how) => {
    const append: Append = { ...numbered(stream, 4, 3, how === 'in clear' ? null : dataKey) };
    const back = await fromServer(stream, stored(await toServer(append, dataKeys), 4), dataKeys);
    const { metadata } = append;
    expect(back).toEqual(append.events.map((event, i) => ({ ...event, stream, revision: 4 + i, metadata })));
  });

  test('tells what led to it by the server’s own names, and which run', async () => {
    const append = numbered(stream, 0, 1);
    const [event] = await toServer({ ...append, metadata: { ...append.metadata, runId: 'run-1', place: 7 } }, dataKeys);
    expect(event?.metadata).toMatchObject({ $correlationId: 'request-1', $causationId: 'command-1', runId: 'run-1' });
    const [back] = await fromServer(stream, stored([event as EventData], 0), dataKeys);
    expect(back?.metadata).toEqual({ ...append.metadata, runId: 'run-1', place: 7 });
  });

  test('under a data key shows nothing of its events but their types', async () => {
    const append = numbered(stream, 0, 2, dataKey);
    const events = append.events.map((event) => ({ ...event, data: { iban: 'DE89370400440532013000' } }));
    const sent = await toServer({ ...append, events }, dataKeys);
    for (const { data } of sent) expect(Buffer.from(data as Uint8Array).includes('DE89')).toBe(false);
    expect(sent.map(({ type }) => type)).toEqual(['Counted', 'Counted']);
  });

  test('under a data key cannot be read at another place', async () => {
    const sent = await toServer(numbered(stream, 0, 1, dataKey), dataKeys);
    await expect(fromServer(stream, stored(sent, 1), dataKeys)).rejects.toThrow();
    await expect(fromServer('thing-2', stored(sent, 0), dataKeys)).rejects.toThrow();
    const [event] = await fromServerOrNot('thing-2', stored(sent, 0), dataKeys);
    expect(event).toMatchObject({ id: sent[0]?.id, stream: 'thing-2', revision: 0, type: 'Unreadable', data: {} });
  });

  test('of a thousand rows under a data key stays below what a server takes by default', async () => {
    const append = numbered(stream, 0, 1000, dataKey);
    const events = append.events.map((event, n) => ({ ...event, data: { n, text: randomUUID().repeat(30) } }));
    expect(sizeOf(await toServer({ ...append, events }, dataKeys))).toBeLessThan(1024 * 1024 * 0.5);
  });

  test('of several goes by an id that is made of all of theirs; of one by its own', async () => {
    const append = numbered(stream, 0, 3);
    const idsOf = async (count: number): Promise<string[]> =>
      (await toServer({ ...append, events: append.events.slice(0, count) }, dataKeys)).map(({ id }) => id);
    const given = append.events.map(({ id }) => id);
    expect(await idsOf(1)).toEqual([given[0]]);
    expect((await idsOf(3)).slice(1)).toEqual(given.slice(1));
    expect(await idsOf(3)).toEqual(await idsOf(3));
    expect(new Set([...(await idsOf(1)), (await idsOf(2))[0], (await idsOf(3))[0]]).size).toBe(3);
  });

  test('with an id that is none is a fault before anything is sent', async () => {
    const append = numbered(stream, 0);
    const events = append.events.map((event) => ({ ...event, id: 'not a uuid' }));
    await expect(toServer({ ...append, events }, dataKeys)).rejects.toThrow(TypeError);
  });

  test('says of each event where in it that stands', async () => {
    const sent = stored(await toServer(numbered(stream, 0, 3), dataKeys), 0);
    expect(sent.map(placeOf)).toEqual([0, 1, 2].map((index) => ({ index, count: 3 })));
    expect(placeOf({ metadata: undefined })).toEqual({ index: 0, count: 1 });
  });

  test('is left out when its data key was destroyed', async () => {
    const gone = randomUUID();
    await dataKeys.create(gone, { organization: 'demo', environment: 'test' });
    const sent = await toServer(numbered(stream, 0, 2, gone), dataKeys);
    await dataKeys.destroy(gone);
    expect(await fromServer(stream, stored(sent, 0), dataKeys)).toEqual([]);
  });
});
