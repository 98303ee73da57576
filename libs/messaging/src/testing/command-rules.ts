import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailed, DeadlineExceeded } from '../bus.ts';
import type { Message, Reply } from '../message.ts';
import { busSettings, consumer, eventually, message, newTopic, type Start, type StartedBus } from './harness.ts';

type Command = { n: number; takesMs?: number };
const timeLeftMs = 60_000;

export const commandRules = (start: Start): void => {
  let started: StartedBus | undefined;
  const begun: number[] = [];
  const done: number[] = [];

  const handle = async ({ data }: Message): Promise<Reply> => {
    const { n, takesMs = 0 } = data as Command;
    begun.push(n);
    await sleep(takesMs);
    done.push(n);
    return { ok: true, data: { double: n * 2 } };
  };
  const refuse = async (): Promise<Reply> => ({
    ok: false,
    problem: { status: 409, type: 'conflict', message: 'taken', details: { by: 'other' } },
  });
  const fail = async (): Promise<Reply> => {
    throw new Error('the database is down');
  };

  /** A group that is new reads what a topic has held: so every test has its own. */
  let topic = newTopic();
  const send = (key: string, data: Command, type = 'double') => {
    if (started === undefined) throw new Error('no bus');
    return started.bus.request(topic, message(key, data, type), timeLeftMs);
  };
  beforeEach(async () => {
    topic = newTopic();
    begun.length = 0;
    done.length = 0;
    started = await start([consumer({ topics: [topic], commands: { double: handle, refuse, fail } })]);
  });
  afterEach(() => started?.bus.close());

  test('a command is answered with what its handler replies, a refusal word for word', async () => {
    expect(await send('k', { n: 4 })).toEqual({ ok: true, data: { double: 8 } });
    const problem = { status: 409, type: 'conflict', message: 'taken', details: { by: 'other' } };
    expect(await send('k', { n: 4 }, 'refuse')).toEqual({ ok: false, problem });
  });

  test('of many at once, each gets its own reply', async () => {
    const sent = Array.from({ length: 50 }, (_, n) => send(`key ${n % 7}`, { n, takesMs: n % 4 }));
    const replies = await Promise.all(sent);
    expect(replies).toEqual(replies.map((_, n) => ({ ok: true, data: { double: n * 2 } })));
  });

  test('commands of one key are handled one after the other, in the order they were sent', async () => {
    const slow = send('k', { n: 1, takesMs: 300 });
    await eventually(() => expect(begun).toEqual([1]));
    await Promise.all([slow, send('k', { n: 2 }), send('other', { n: 3 })]);
    expect(done).toEqual([3, 1, 2]);
  });

  test('a handler that throws is a fault at the sender, at once and without another try', async () => {
    const since = performance.now();
    await expect(send('k', { n: 1 }, 'fail')).rejects.toThrow(CommandFailed);
    expect(performance.now() - since).toBeLessThan(timeLeftMs / 2);
    expect(await started?.deadLetters()).toEqual([]);
  });

  test('a command that nobody handles is a fault', async () => {
    await expect(send('k', { n: 1 }, 'unheard-of')).rejects.toThrow(CommandFailed);
  });

  test('a reply that does not come in time leaves the outcome unknown: the sender is told so, the command runs on', async () => {
    await send('warm', { n: 0 });
    const asked = started?.bus.request(topic, message('k', { n: 5, takesMs: 600 }, 'double'), 400);
    await expect(asked).rejects.toThrow(DeadlineExceeded);
    await eventually(() => expect(done).toEqual([0, 5]));
  });

  test('a command is not started when less than the margin of its time is left', async () => {
    await send('warm', { n: 0 });
    const late = started?.bus.request(topic, message('k', { n: 6 }, 'double'), busSettings.startMarginMs - 50);
    await expect(late).rejects.toThrow(DeadlineExceeded);

    const ahead = send('k', { n: 7, takesMs: 300 });
    await eventually(() => expect(begun).toContain(7));
    const waited = started?.bus.request(topic, message('k', { n: 8 }, 'double'), busSettings.startMarginMs + 200);
    await expect(waited).rejects.toThrow(DeadlineExceeded);
    await ahead;
    await send('k', { n: 9 });
    expect(begun).toEqual([0, 7, 9]);
  });
};
