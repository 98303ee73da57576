import { noDataKeys } from '@causeway/data-keys';
import type { NewEvent, StreamName } from '@causeway/event-sourcing';
import { newStream } from '@causeway/event-sourcing/testing';
import { describeWithPostgres } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { v7 as uuidV7 } from 'uuid';
import { postgresStoreUnderTest, schema, type PostgresStoreUnderTest } from './testing/store.ts';
import { appendsOf, correlationOf, type TrailOptions } from './trail.ts';

describeWithPostgres('the trail of a request', () => {
  let made: PostgresStoreUnderTest;
  let options: TrailOptions;
  beforeAll(async () => {
    made = await postgresStoreUnderTest();
    options = { pool: made.pool, schema, dataKeys: noDataKeys };
  });
  afterAll(() => made.close());

  const events = (ids: readonly string[]): NewEvent[] => ids.map((id, n) => ({ id, type: 'Counted', data: { n } }));
  const store = async (correlationId: string, ids: readonly string[], stream: StreamName = newStream()) => {
    const metadata = { correlationId, causationId: 'command-1', organization: null, environment: null };
    await made.store.append({ stream, expected: 'no-stream', events: events(ids), metadata, dataKey: null });
    await made.store.head();
    return stream;
  };
  const filled = async (): Promise<void> => {
    for (let n = 0; n < 50; n++) await store(`other-${n}`, [uuidV7()]);
  };

  test('is what has its id, oldest first, and nothing of another request', async () => {
    await filled();
    const ids = [uuidV7(), uuidV7(), uuidV7()];
    const [first, second] = [await store('mine', ids.slice(0, 2)), await store('mine', ids.slice(2))];
    const found = await appendsOf(options, 'mine');
    expect(found.map(({ stream, events: told }) => [stream, told.map(({ id, type }) => [id, type])])).toEqual([
      [first, ids.slice(0, 2).map((id) => [id, 'Counted'])],
      [second, [[ids[2], 'Counted']]],
    ]);
    expect(await appendsOf(options, 'nobody')).toEqual([]);
  });

  test('is found by an index, however large the table is', async () => {
    const plan = await made.owner.query<Record<string, string>>(
      `SET enable_seqscan = off; EXPLAIN SELECT FROM ${schema}.append a WHERE a.metadata ->> 'correlationId' = 'mine'`,
    );
    expect(JSON.stringify(plan)).toContain('append_correlation');
  });

  test('begins with any of its events whose id tells a time, wherever in its append', async () => {
    await filled();
    const ids = Array.from({ length: 20 }, () => uuidV7());
    await store('request-of-many', ids);
    await filled();
    for (const id of [ids[0], ids[10], ids[19]])
      expect(await correlationOf(options, String(id))).toBe('request-of-many');
    expect(await correlationOf(options, uuidV7())).toBeUndefined();
  });

  test('does not begin with an event whose id tells none', async () => {
    const id = randomUUID();
    await store('request-of-one', [id]);
    expect(await correlationOf(options, id)).toBeUndefined();
  });

  test('names what a bank sent without reading it', async () => {
    const data = { cipher: 'x'.repeat(10) + randomUUID().repeat(20_000) };
    const metadata = { correlationId: 'large', causationId: 'c', organization: null, environment: null };
    const large = Array.from({ length: 3 }, (_, n) => ({
      id: uuidV7(),
      type: 'Other',
      data: { n, ...data, r: noise() },
    }));
    await made.store.append({
      stream: `sync-${uuidV7()}`,
      expected: 'no-stream',
      events: large,
      metadata,
      dataKey: null,
    });
    const [found] = await appendsOf(options, 'large');
    expect(found?.events).toEqual(large.map(({ id }) => ({ id, type: 'StatementReceived', data: {} })));
  });
});

/** It cannot be compressed. */
const noise = (): string => Array.from({ length: 2000 }, () => randomUUID()).join('');
