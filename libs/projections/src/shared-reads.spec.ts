import type { Batch, EventStore, Position, Sequenced } from '@causeway/event-sourcing';
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedReads } from './shared-reads.ts';

const at = (position: number) => position as Position;

/** A store of ten events that counts how often it is read. */
const counted = () => {
  const reads: number[] = [];
  const readAll = async (after: Position, limit: number): Promise<Batch> => {
    reads.push(after);
    const position = at(Math.min(10, after + limit));
    return { events: position > after ? [{ position } as Sequenced] : [], position };
  };
  return { reads, store: sharedReads({ readAll } as EventStore) };
};

test('readers that go side by side read each batch once', async () => {
  const { reads, store } = counted();
  await Promise.all([store.readAll(at(0), 5), store.readAll(at(0), 5)]);
  await store.readAll(at(5), 5);
  await store.readAll(at(5), 5);
  expect(reads).toEqual([0, 5]);
});

test('the end of the store is looked at anew', async () => {
  const { reads, store } = counted();
  await store.readAll(at(10), 5);
  await store.readAll(at(10), 5);
  expect(reads).toEqual([10, 10]);
});

test('what was read is not kept for long', async () => {
  const { reads, store } = counted();
  await store.readAll(at(0), 5);
  await sleep(1200);
  await store.readAll(at(0), 5);
  expect(reads).toEqual([0, 0]);
});

test('a read that failed is not kept', async () => {
  let failures = 1;
  const readAll = async (): Promise<Batch> => {
    if (failures-- > 0) throw new Error('away');
    return { events: [], position: at(1) };
  };
  const store = sharedReads({ readAll } as unknown as EventStore);
  await expect(store.readAll(at(0), 5)).rejects.toThrow('away');
  expect(await store.readAll(at(0), 5)).toEqual({ events: [], position: at(1) });
});
