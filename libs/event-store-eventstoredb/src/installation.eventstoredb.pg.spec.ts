import { noDataKeys } from '@causeway/data-keys';
import { newStream, numbered, readToHead } from '@causeway/event-sourcing/testing';
import { migrate, openPool } from '@causeway/postgres';
import { testDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { eventStoreDb } from './event-store.ts';
import { prefixOf, serverIdentity, surveyServer, takeOverServer, type ServerPlace } from './installation.ts';
import { eventStoreDbMigrations } from './migrations.ts';
import { describeWithEventStoreDb, serverUrl } from './testing/store.ts';

const schema = 'ledger_events';
const role = 'causeway_spec';
const newPlace = (): ServerPlace => ({ url: serverUrl ?? '', namespace: randomUUID().slice(0, 13) });

/** The ledger of an installation there. */
const ledgerAt = async (place: ServerPlace) => {
  const database = await testDatabase();
  await migrate(database.url, schema, eventStoreDbMigrations(schema, role));
  const pool = openPool({ url: database.url, applicationName: 'spec', role, connectionsMax: 4 });
  const namespace = prefixOf(place) + schema;
  const store = eventStoreDb({ url: place.url, namespace, pool, schema, dataKeys: noDataKeys });
  const close = async (): Promise<void> => {
    await store.close();
    await pool.end();
    await database.drop();
  };
  return { store, close };
};

describeWithEventStoreDb('whose a server is', () => {
  test('nobody’s, while nothing is on it', async () => {
    expect(await serverIdentity(newPlace()).find()).toEqual({ id: null, isUsed: false });
  });

  test('his who claims it first, of any number', async () => {
    const place = newPlace();
    const ids = Array.from({ length: 5 }, () => randomUUID());
    await Promise.all(ids.map((id) => serverIdentity(place).claim(id)));
    const { id } = await serverIdentity(place).find();
    expect(ids).toContain(id);
    await serverIdentity(place).claim(randomUUID());
    expect((await serverIdentity(place).find()).id).toBe(id);
    expect((await surveyServer(place)).identities).toHaveLength(1);
  });

  test('unknown, but not nobody’s, where only streams of a service are', async () => {
    const place = newPlace();
    const { store, close } = await ledgerAt(place);
    await store.append(numbered(newStream(), 0));
    await close();
    expect(await serverIdentity(place).find()).toEqual({ id: null, isUsed: true });
  });

  test('his who takes it over from the one that was seen', async () => {
    const [place, first, second] = [newPlace(), randomUUID(), randomUUID()];
    await serverIdentity(place).claim(first);
    const { identities } = await surveyServer(place);
    expect(identities).toEqual([{ id: first, since: expect.stringMatching(/^20\S+Z$/) as string }]);
    await takeOverServer(place, identities, second);
    expect((await serverIdentity(place).find()).id).toBe(second);
    await expect(takeOverServer(place, identities, randomUUID())).rejects.toThrow('meanwhile');
    expect((await serverIdentity(place).find()).id).toBe(second);
  });

  test('two installations by their namespaces see nothing of each other', async () => {
    const [one, two] = [newPlace(), newPlace()];
    // Its name begins as the other's does.
    const three = { ...one, namespace: `${one.namespace}-3` };
    const ledgers = await Promise.all([one, two, three].map(ledgerAt));
    const stream = newStream();
    for (const [n, { store }] of ledgers.entries()) {
      for (let revision = 0; revision <= n; revision++) {
        expect(await store.append(numbered(stream, revision))).toBe('appended');
      }
    }
    for (const [n, { store }] of ledgers.entries()) {
      expect(await readToHead(store)).toHaveLength(n + 1);
      expect(await store.readStream(stream)).toHaveLength(n + 1);
    }
    await Promise.all(ledgers.map(({ close }) => close()));
    expect((await surveyServer(two)).services).toEqual([{ service: 'ledger', streams: 1, events: 2 }]);
    expect(await serverIdentity(newPlace()).find()).toEqual({ id: null, isUsed: false });
  });
});
