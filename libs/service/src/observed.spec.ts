import type { Message, Reply } from '@causeway/messaging';
import { inProcessBroker } from '@causeway/messaging-in-process';
import { openMetrics } from '@causeway/observability';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { observed } from './observed.ts';

const message: Message = {
  id: 'm1',
  type: 'noted',
  key: 'k',
  data: { accountNumber: '12345678' },
  correlationId: 'request-1',
  causationId: 'c1',
};

const watched = () => {
  const lines: Record<string, unknown>[] = [];
  const write = (chunk: Buffer, _: string, done: () => void): void => {
    lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
    done();
  };
  const log = pino({ base: null }, new Writable({ write }));
  const metrics = openMetrics('ledger');
  const broker = inProcessBroker({ deadLetters: { add: async () => undefined }, attemptsMax: 1, startMarginMs: 0 });
  const bus = observed(broker, { log, metrics });
  broker.open();
  const counts = async (): Promise<readonly string[]> => {
    const text = await metrics.text(() => Promise.reject(new Error('none')));
    return text.split('\n').filter((line) => /_(count|total)\{/.test(line));
  };
  return { bus, lines, counts };
};

const listening = (
  handle: () => Promise<void>,
  answer: () => Promise<Reply> = () => Promise.reject(new Error('no')),
) => ({
  ...{ group: 'ledger', topics: ['t'] },
  events: new Map([['noted', handle]]),
  commands: new Map([['asked', answer]]),
});

describe('what a service handles', () => {
  test('is a line with the id of the request that it began with, and none of the data', async () => {
    const { bus, lines, counts } = watched();
    await bus.consume(listening(async () => undefined));
    await bus.publish('t', [message]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 30,
      requestId: 'request-1',
      message: 'noted',
      outcome: 'done',
      messageId: 'm1',
    });
    expect(JSON.stringify(lines)).not.toContain('12345678');
    expect(await counts()).toEqual([
      'causeway_message_handling_seconds_count{service="ledger",type="noted",outcome="done"} 1',
      'causeway_messages_published_total{topic="t",service="ledger"} 1',
    ]);
  });

  test('and could not, is a warning with the reason, and reaches the bus as it was', async () => {
    const { bus, lines, counts } = watched();
    await bus.consume(listening(() => Promise.reject(new Error('the disk is full'))));
    await bus.publish('t', [message]);
    expect(lines[0]).toMatchObject({
      level: 40,
      requestId: 'request-1',
      outcome: 'failed',
      err: { message: 'the disk is full' },
    });
    expect((await counts())[0]).toContain('outcome="failed"} 1');
  });

  test('and refuses, is told as that on both sides', async () => {
    const { bus, lines, counts } = watched();
    const problem = { status: 409, type: 'conflict', message: 'No.' };
    await bus.consume(
      listening(
        async () => undefined,
        async () => ({ ok: false, problem }),
      ),
    );
    expect(await bus.request('t', { ...message, type: 'asked' }, 1000)).toEqual({ ok: false, problem });
    expect(lines[0]).toMatchObject({ level: 30, message: 'asked', outcome: 'refused' });
    expect(await counts()).toEqual([
      'causeway_message_handling_seconds_count{service="ledger",type="asked",outcome="refused"} 1',
      'causeway_command_seconds_count{service="ledger",type="asked",outcome="refused"} 1',
    ]);
  });

  test('a command that got no answer is counted as failed', async () => {
    const { bus, counts } = watched();
    await expect(bus.request('t', { ...message, type: 'unheard' }, 1000)).rejects.toThrow('nobody handles');
    expect(await counts()).toEqual([
      'causeway_command_seconds_count{service="ledger",type="unheard",outcome="failed"} 1',
    ]);
  });
});
