import { beginning, type Append, type EventStore, type Sequenced } from '@causeway/event-sourcing';
import { newStream, numbered, orderFaults, readToHead } from '@causeway/event-sourcing/testing';
import { isOutage } from '@causeway/postgres';
import { withRoom } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProxy, type Proxy } from './testing/proxy.ts';
import {
  describeWithEventStoreDb,
  eventStoreDbUnderTest,
  serverUrl,
  type EventStoreDbUnderTest,
} from './testing/store.ts';

/** Through the proxy a certificate names another host, and a cluster's members name themselves. */
const isPlain = serverUrl === undefined || /^esdb:[^,]*tls=false/.test(serverUrl);
const describeOnPlainServer = isPlain ? describeWithEventStoreDb : describe.skip;

/** Again and again while it fails as an outage does. */
const insist = async <T>(work: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error)) throw error;
      await sleep(20);
    }
  }
};

describeOnPlainServer('a connection that breaks', () => {
  let made: EventStoreDbUnderTest;
  let proxy: Proxy;
  let store: EventStore;
  beforeEach(async () => {
    made = await eventStoreDbUnderTest();
    proxy = await startProxy(serverUrl ?? '');
    store = made.storeAt(proxy.url);
  });
  afterEach(async () => {
    await store.close();
    await proxy.close();
    await made.close();
  });

  test('again and again loses nothing, doubles nothing and leaves nothing open', async () => {
    const appends: Append[] = Array.from({ length: 30 }, (_, n) => numbered(newStream(), 0, 1 + (n % 40)));
    const total = appends.reduce((sum, { events }) => sum + events.length, 0);
    const seen: Sequenced[] = [];
    const never = new AbortController().signal;
    const following = (async (): Promise<void> => {
      for (let position = beginning; position < total;) {
        const batch = await insist(() => store.readAll(position, 50));
        seen.push(...batch.events);
        if (batch.position === position) await store.changed(position, never);
        position = batch.position;
      }
    })();
    const cutting = setInterval(proxy.cut, 500);
    for (const append of appends) {
      expect(await insist(() => store.append(append))).toBe('appended');
      await sleep(20);
    }
    await following;
    clearInterval(cutting);
    expect(seen).toHaveLength(total);
    expect(orderFaults(seen)).toEqual([]);
    expect(seen).toEqual(await readToHead(made.store));
    expect(proxy.open()).toBeLessThanOrEqual(2);
  });

  test('and stays away is an outage to whoever appends, reads or asks for the head', async () => {
    const stream = newStream();
    await store.append(numbered(stream, 0));
    expect(await store.head()).toBe(1);
    await proxy.close();
    for (const asked of [
      () => store.append(numbered(stream, 1)),
      () => store.readStream(stream),
      () => store.eraseStream(stream),
      () => store.head(),
    ]) {
      await expect(asked().catch((error: unknown) => isOutage(error))).resolves.toBe(true);
    }
    expect(await made.store.readStream(stream)).toHaveLength(1);
  });

  test('does not keep a store from closing', async () => {
    await store.head();
    await proxy.close();
    const begun = performance.now();
    await store.close();
    expect(performance.now() - begun).toBeLessThan(withRoom(5000));
  });
});
