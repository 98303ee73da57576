import { accept, commandHandler, reject, type Decider, type Folded, type StreamName } from '@causeway/event-sourcing';
import { newStream, orderFaults, readToHead } from '@causeway/event-sourcing/testing';
import { describeWithPostgres } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { postgresStoreUnderTest, type PostgresStoreUnderTest } from './testing/store.ts';

type Seated = Readonly<{ type: 'Seated'; data: { guest: string } }>;
type Seat = Readonly<{ stream: StreamName; guest: string }>;
type Full = Readonly<{ code: 'full' }>;

const seats = 50;

const table: Decider<readonly string[], Seat, Seated, Full> = {
  initial: [],
  decide(guests, { guest }) {
    if (guests.includes(guest)) return accept<Seated>();
    return guests.length < seats ? accept({ type: 'Seated', data: { guest } }) : reject({ code: 'full' });
  },
  evolve: (guests, { data }) => [...guests, data.guest],
};

const context = {
  metadata: { correlationId: 'request-1', causationId: 'command-1', organization: null, environment: null },
};

describeWithPostgres('a command', () => {
  let made: PostgresStoreUnderTest;
  beforeAll(async () => {
    made = await postgresStoreUnderTest();
  });
  afterAll(() => made.close());

  const handle = (command: Seat, known?: Folded<readonly string[]>) =>
    commandHandler(made.store, table, { streamOf: ({ stream }) => stream, newId: randomUUID })(command, context, known);

  test('is decided on what is there: of 60 at once for 50 seats, 50 are seated and 10 are refused', async () => {
    const stream = newStream();
    const all = await Promise.all(Array.from({ length: 60 }, (_, n) => handle({ stream, guest: `guest ${n}` })));
    expect(all.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(50);
    expect(all.filter(({ outcome }) => outcome === 'rejected')).toHaveLength(10);
    const guests = (await made.store.readStream<Seated>(stream)).map(({ data }) => data.guest);
    expect(new Set(guests).size).toBe(50);
    expect(orderFaults(await readToHead(made.store))).toEqual([]);
  });

  test('answers with the state after it, and given again records nothing', async () => {
    const stream = newStream();
    const once = await handle({ stream, guest: 'a' });
    const after = { outcome: 'accepted', state: ['a'], revision: 0 };
    expect(once).toEqual({ ...after, events: [{ type: 'Seated', data: { guest: 'a' } }] });
    expect(await handle({ stream, guest: 'a' })).toEqual({ ...after, events: [] });
    expect(await made.store.readStream(stream)).toHaveLength(1);
  });

  test('goes on from what its caller knows, and decides anew where that was not the newest', async () => {
    const stream = newStream();
    const first = await handle({ stream, guest: 'a' }, { state: [], revision: 'none' });
    expect(await handle({ stream, guest: 'b' }, first)).toMatchObject({ state: ['a', 'b'], revision: 1 });
    expect(await handle({ stream, guest: 'c' }, first)).toMatchObject({ state: ['a', 'b', 'c'], revision: 2 });
    expect(await handle({ stream, guest: 'b' }, first)).toMatchObject({ events: [], state: ['a', 'b', 'c'] });
  });

  test('carries what led to it into its events', async () => {
    const stream = newStream();
    await handle({ stream, guest: 'a' });
    const [event] = await made.store.readStream(stream);
    expect(event?.metadata).toEqual(context.metadata);
  });
});
