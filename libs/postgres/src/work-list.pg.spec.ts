import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { leaseMigrations } from './lease.ts';
import { migrate } from './migrate.ts';
import { startWorkList, type WorkList } from './work-list.ts';

const schema = 'work';

describeWithPostgres('a work list', () => {
  let database: TestDatabase;
  let undone: Set<string>;
  let log: string[];
  let faults: unknown[];
  const lists: WorkList[] = [];
  beforeAll(async () => {
    database = await testDatabase();
    await migrate(database.url, schema, leaseMigrations(schema));
  });
  afterAll(() => database.drop());
  beforeEach(() => {
    [undone, log, faults] = [new Set(), [], []];
  });
  afterEach(async () => {
    await Promise.all(lists.splice(0).map((list) => list.stop()));
  });

  const start = (name: string, work: (item: string, signal: AbortSignal) => Promise<void>, concurrencyMax = 8) => {
    const list = startWorkList({
      ...{ pool: database.pool, schema, name, work, concurrencyMax, pollMs: 20 },
      list: async () => [...undone],
      idOf: (item: string) => item,
      onFault: (error) => faults.push(error),
    });
    lists.push(list);
    return list;
  };
  const until = async (holds: () => boolean): Promise<void> => {
    for (const deadline = Date.now() + 10_000; !holds() && Date.now() < deadline; await sleep(5));
    expect(holds()).toBe(true);
  };
  const doing = async (item: string): Promise<void> => {
    log.push(item);
    undone.delete(item);
  };

  test('works through what is undone, and through what comes later', async () => {
    undone.add('a').add('b');
    start('plain', doing);
    await until(() => log.length === 2);
    undone.add('c');
    await until(() => log.length === 3);
    expect(log.sort()).toEqual(['a', 'b', 'c']);
  });

  test('has an item in one hand at a time, and no more than its number in hand', async () => {
    for (let n = 0; n < 10; n++) undone.add(`item ${n}`);
    let [inHand, most] = [0, 0];
    const seen = new Set<string>();
    start(
      'bounded',
      async (item) => {
        expect(seen.has(item)).toBe(false);
        seen.add(item);
        most = Math.max(most, ++inHand);
        await sleep(60);
        inHand -= 1;
        await doing(item);
      },
      3,
    );
    await until(() => log.length === 10);
    expect([most, faults]).toEqual([3, []]);
  });

  test('of two processes, one works it', async () => {
    undone.add('a');
    const work = async (item: string): Promise<void> => {
      log.push(item);
      await sleep(300);
      undone.delete(item);
    };
    start('shared', work);
    start('shared', work);
    await until(() => undone.size === 0);
    expect(log).toEqual(['a']);
  });

  test('what failed rests, is told, and is tried again; the others go on', async () => {
    undone.add('bad').add('good');
    let tries = 0;
    start('faulty', async (item) => {
      if (item === 'bad' && ++tries === 1) throw new Error('no');
      await doing(item);
    });
    await until(() => log.includes('bad'));
    expect([log, tries, faults]).toEqual([['good', 'bad'], 2, [new Error('no')]]);
  });

  test('is empty until the view that shows it is made', async () => {
    const list = startWorkList({
      ...{ pool: database.pool, schema, name: 'early', concurrencyMax: 8, pollMs: 20 },
      list: async () => (await database.pool.query<{ item: string }>('SELECT item FROM work.shown')).rows,
      idOf: ({ item }) => item,
      work: ({ item }) => doing(item),
      onFault: (error) => faults.push(error),
    });
    lists.push(list);
    await sleep(100);
    await database.pool.query(`CREATE VIEW work.shown AS SELECT 'a' AS item`);
    await until(() => log.includes('a'));
    expect(faults).toEqual([]);
  });

  test('stopping tells what is in hand, and waits for it', async () => {
    undone.add('a');
    const list = start('stopped', async (item, signal) => {
      log.push(`${item} begins`);
      await sleep(60_000, undefined, { signal }).catch(() => undefined);
      log.push(`${item} ends`);
    });
    await until(() => log.length === 1);
    await list.stop();
    expect([log, faults]).toEqual([['a begins', 'a ends'], []]);
  });
});
