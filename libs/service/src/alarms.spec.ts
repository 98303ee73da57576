import { openMetrics } from '@causeway/observability';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { deadLetterAlarm, forgeryAlarm } from './alarms.ts';

test('a message that was passed over as forged is an error in the log and a count of its topic', async () => {
  let said = '';
  const log = pino({ base: null }, { write: (line: string) => void (said += line) });
  const metrics = openMetrics('ledger');
  forgeryAlarm({ log, metrics })('t/noted/m1');
  expect(JSON.parse(said)).toMatchObject({ level: 50, place: 't/noted/m1' });
  expect(await metrics.text(() => Promise.reject(new Error('none')))).toContain(
    'causeway_forged_messages_total{topic="t",service="ledger"} 1',
  );
});

test('a dead letter is an error in the log and a count, and none of its data is told', async () => {
  let said = '';
  const write = (chunk: Buffer, _: string, done: () => void): void => {
    said += chunk.toString();
    done();
  };
  const metrics = openMetrics('ledger');
  const alarm = deadLetterAlarm({ log: pino({ base: null }, new Writable({ write })), metrics });
  const data = { accountNumber: '12345678' };
  const message = { id: 'm1', type: 'noted', key: 'k', data, correlationId: 'request-1', causationId: 'c1' };
  const at = '2026-01-01T00:00:00.000Z';
  alarm({ group: 'g', topic: 't', message, reason: 'broken', attempts: 5, firstFailedAt: at, lastFailedAt: at });
  expect(JSON.parse(said)).toMatchObject({ level: 50, requestId: 'request-1', message: 'noted', reason: 'broken' });
  expect(said).not.toContain('12345678');
  expect(await metrics.text(() => Promise.reject(new Error('none')))).toContain(
    'causeway_dead_letters_total{topic="t",type="noted",service="ledger"} 1',
  );
});
