import { beginning, type Position } from '@causeway/event-sourcing';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSequencer, type Notices } from './sequencer.ts';

const never = new AbortController().signal;

/** Nobody else is there. */
const alone: Notices = { tell: async () => undefined, hear: () => async () => undefined };

/** A store below the sequencer, whose head is what the test says. */
const below = () => {
  const state = { head: 0, looks: 0, away: false };
  const sequence = async (): Promise<Position> => {
    state.looks += 1;
    await sleep(1);
    if (state.away) throw new Error('away');
    return state.head as Position;
  };
  return { state, sequence };
};

describe('a sequencer', () => {
  test('does not look while nothing was appended here and nobody waits', async () => {
    const { state, sequence } = below();
    const { close } = startSequencer(sequence, alone);
    await sleep(100);
    expect(state.looks).toBe(0);
    await close();
  });

  test('looks once for many appends that come together', async () => {
    const { state, sequence } = below();
    const { wake, changed, close } = startSequencer(sequence, alone);
    for (let n = 1; n <= 100; n++) {
      state.head = n;
      wake();
    }
    await changed(99 as Position, never);
    expect(state.looks).toBeLessThanOrEqual(2);
    await close();
  });

  test('looks at most once in two seconds while it waits, and wakes by what others tell without a look', async () => {
    const { state, sequence } = below();
    let told: (head: Position | undefined) => void = () => undefined;
    const hear: Notices['hear'] = (heard) => {
      told = heard;
      return async () => undefined;
    };
    const { changed, close } = startSequencer(sequence, { ...alone, hear });
    const waiting = changed(beginning, never);
    await sleep(300);
    expect(state.looks).toBe(0);
    told(7 as Position);
    await waiting;
    expect(state.looks).toBe(0);
    const again = changed(7 as Position, never);
    state.head = 8;
    told(undefined);
    await again;
    expect(state.looks).toBe(1);
    await close();
  });

  test('tells others of what was appended here, of many appends at once, and of the last', async () => {
    const { state, sequence } = below();
    const heads: number[] = [];
    const tell = async (head: Position): Promise<void> => void heads.push(head);
    const { wake, head, close } = startSequencer(sequence, { ...alone, tell });
    await head();
    const since = performance.now();
    for (let n = 1; n <= 100; n++) {
      state.head = n;
      wake();
      await sleep(1);
    }
    while (heads.at(-1) !== 100) await sleep(5);
    // One in 15 ms, by a clock that may be 1 ms ahead.
    expect(heads.length).toBeLessThanOrEqual(2 + (performance.now() - since) / 14);
    await close();
  });

  test('rests as long as it works, where looking is slow', async () => {
    let looks = 0;
    const slow = async (): Promise<Position> => {
      looks += 1;
      await sleep(20);
      return beginning;
    };
    const { wake, close } = startSequencer(slow, alone);
    const until = performance.now() + 400;
    while (performance.now() < until) {
      wake();
      await sleep(1);
    }
    await close();
    expect(looks).toBeLessThanOrEqual(8);
  });

  test('goes on looking after the database was away, and says so to who asks for the head', async () => {
    const { state, sequence } = below();
    const { wake, head, changed, close } = startSequencer(sequence, alone);
    state.away = true;
    wake();
    await sleep(20);
    await expect(head()).rejects.toThrow('away');
    state.away = false;
    state.head = 1;
    await changed(beginning, never);
    expect(await head()).toBe(1);
    await close();
  });

  test('looks no more once it is closed', async () => {
    const { state, sequence } = below();
    const { wake, changed, close } = startSequencer(sequence, alone);
    const waiting = changed(beginning, never);
    await close();
    await waiting;
    const before = state.looks;
    wake();
    await changed(beginning, never);
    await sleep(30);
    expect(state.looks).toBe(before);
  });
});
