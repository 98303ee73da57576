import { contextOfPart } from '@causeway/contracts';
import { postgresDataKeys } from '@causeway/data-keys';
import type { SyncRunEvent } from '@causeway/domain/connections';
import type { EventStore } from '@causeway/event-sourcing';
import { postgresEventStore } from '@causeway/event-store-postgres';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { eventsSchema, migrateConnections } from '../migrations.ts';
import { keptPages, type KeptPages } from './kept-pages.ts';
import { openJournal, RunTaken, type Page, type Run, type RunJournal } from './run-journal.ts';

const accountId = randomUUID();
const page = (from: string, to: string, parts: readonly string[] = ['a page']): Page => ({
  accountId,
  currency: 'USD',
  range: { from, to },
  bankDay: to,
  sha256: parts.join(' '),
  parts: parts.map((part) => Buffer.from(part)),
});

describeWithPostgres('the journal of a run', () => {
  let database: TestDatabase;
  let store: EventStore;
  let kept: KeptPages;
  let run: Run;
  const dataKeysIn = ({ pool }: TestDatabase) =>
    postgresDataKeys({ pool, masterKeys: [{ id: '1', key: Buffer.alloc(32) }] });
  beforeAll(async () => {
    database = await testDatabase();
    await migrateConnections({ databaseUrl: database.url });
    store = postgresEventStore({ pool: database.pool, schema: eventsSchema, dataKeys: dataKeysIn(database) });
    kept = keptPages(database.pool);
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });
  beforeEach(async () => {
    await database.pool.query('DELETE FROM connections.kept_page');
    const [runId, connectionId, entityId] = [randomUUID(), randomUUID(), randomUUID()];
    const owner = { organization: 'demo', environment: 'test' } as const;
    const metadata = { correlationId: 'request-1', causationId: 'event-1', ...owner, runId };
    run = { runId, number: 1, connectionId, entityId, connector: 'sandbox', metadata };
    await dataKeysIn(database).create(connectionId, owner);
  });

  const open = () =>
    openJournal({ pool: database.pool, store, dataKeys: dataKeysIn(database), kept }, run, () => undefined);
  const stored = () => store.readStream<SyncRunEvent>(`sync-${run.runId}`);
  const ranges = async () => [...(await kept.ofAccount(accountId)).keys()].sort();
  const finish = (journal: RunJournal) =>
    journal.finish({ accountIds: [accountId], fetchedAt: '2026-03-31T10:00:00.000Z', lent: [] });

  test('keeps each part encrypted, in order, with its page', async () => {
    const journal = await open();
    await journal.add(page('2026-03-01', '2026-03-02', ['one', 'two']));
    const events = await stored();
    expect(events.map(({ data }) => 'part' in data && [data.page, data.part, data.parts])).toEqual([
      [0, 0, 2],
      [0, 1, 2],
    ]);
    const [first] = events.filter((event) => event.type === 'StatementReceived');
    const cipher = Buffer.from(first?.data.cipher ?? '', 'base64');
    expect(cipher.includes('one')).toBe(false);
    const its = { ...first!.data, runId: run.runId };
    const opened = (context: string) => dataKeysIn(database).decrypt(run.connectionId, cipher, context);
    expect((await opened(contextOfPart(its)))?.toString()).toBe('one');
    await expect(opened(contextOfPart({ ...its, accountId: randomUUID() }))).rejects.toThrow('another place');
  });

  test('notes after a crash what was appended before it, and appends nothing twice', async () => {
    // Pages are noted some at a time: as if the process died before the first note.
    await (await open()).add(page('2026-03-01', '2026-03-02'));
    expect(await ranges()).toEqual([]);
    const resumed = await open();
    expect([await ranges(), resumed.pages()]).toEqual([['2026-03-01 2026-03-02'], 1]);
    await resumed.add(page('2026-03-03', '2026-03-04'));
    expect((await stored()).map(({ data }) => 'page' in data && data.page)).toEqual([0, 1]);
  });

  test('notes pages as it goes, so that a resumed run of a long history need not read all of it', async () => {
    const journal = await open();
    for (let day = 10; day < 20; day++) await journal.add(page(`2026-03-${day}`, `2026-03-${day}`));
    expect((await ranges()).length).toBeGreaterThan(0);
    await finish(journal);
    expect(await ranges()).toHaveLength(10);
  });

  test('knows after a crash that everything was fetched', async () => {
    await finish(await open());
    expect((await open()).isFetched()).toBe(true);
  });

  test('takes a page of which a crash left only some parts for none', async () => {
    const parts = Array.from({ length: 20 }, (_, part) => `part ${part}`);
    let appends = 0;
    const cut: EventStore = {
      ...store,
      append: (append) => (++appends > 1 ? Promise.reject(new Error('killed')) : store.append(append)),
    };
    const journal = openJournal(
      { pool: database.pool, store: cut, dataKeys: dataKeysIn(database), kept },
      run,
      () => undefined,
    );
    await expect((await journal).add(page('2026-03-01', '2026-03-02', parts))).rejects.toThrow('killed');
    const resumed = await open();
    expect(await ranges()).toEqual([]);
    await resumed.add(page('2026-03-01', '2026-03-02', parts));
    await finish(resumed);
    const whole = (await stored()).filter(({ data }) => 'page' in data && data.page === 1);
    expect([whole.length, await ranges()]).toEqual([20, ['2026-03-01 2026-03-02']]);
  });

  test('turns a second worker away', async () => {
    const [one, other] = [await open(), await open()];
    await one.add(page('2026-03-01', '2026-03-02', ['one']));
    await expect(other.add(page('2026-03-01', '2026-03-02', ['other']))).rejects.toThrow(RunTaken);
  });

  test('a page replaces every page whose days overlap, and no other', async () => {
    const journal = await open();
    await journal.add(page('2026-03-01', '2026-03-05'));
    await journal.add(page('2026-03-06', '2026-03-09'));
    await journal.add(page('2026-03-10', '2026-03-12'));
    await journal.add({ ...page('', ''), range: { name: 'pending' } });
    await journal.add(page('2026-03-05', '2026-03-07'));
    await finish(journal);
    expect(await ranges()).toEqual(['2026-03-05 2026-03-07', '2026-03-10 2026-03-12', 'pending']);
  });

  test('what the ledger refused is forgotten, page by page or with its run', async () => {
    const journal = await open();
    for (const day of ['01', '02', '03']) await journal.add(page(`2026-03-${day}`, `2026-03-${day}`));
    await finish(journal);
    await kept.forget({ ...run, connectionId: randomUUID() });
    await kept.forget(run, [1]);
    expect(await ranges()).toEqual(['2026-03-01 2026-03-01', '2026-03-03 2026-03-03']);
    await kept.forget(run);
    expect(await ranges()).toEqual([]);
  });
});
