import { nextDay, readCompactDate, readIsoDate, readTimestamp } from './calendar.ts';

test.each([
  ['260331', '2026-03-31'],
  ['991231', '1999-12-31'],
  ['700101', '1970-01-01'],
  ['690101', '2069-01-01'],
  ['20260331', '2026-03-31'],
  ['260230', '2026-02-28'],
  ['240230', '2024-02-29'],
  ['261131', '2026-11-30'],
  ['261331', null],
  ['260300', null],
  ['260332', null],
  ['00010101', null],
  ['2603', null],
  ['', null],
])('the compact date %j is %s', (text, date) => expect(readCompactDate(text)?.date ?? null).toBe(date));

test.each([
  ['2026-02-28', false],
  ['2026-02-29', true],
])('%s is clamped: %s', (text, clamped) => expect(readIsoDate(text)?.clamped).toBe(clamped));

test.each(['2026-03', '31.03.2026', '2026-03-311', '0000-01-01', 'tomorrow'])('%j is no date', (text) =>
  expect(readIsoDate(text)).toBeNull(),
);

test.each([
  ['2026-02-28', '2026-03-01'],
  ['2024-02-28', '2024-02-29'],
  ['2026-12-31', '2027-01-01'],
])('the day after %s is %s', (day, next) => expect(nextDay(day)).toBe(next));

test.each([
  ['2026-04-01T05:00:00+02:00', '2026-04-01T03:00:00.000Z'],
  ['2026-04-01T05:00:00Z', '2026-04-01T05:00:00.000Z'],
  ['2013-12-27T11:01:46.0+01:00', '2013-12-27T10:01:46.000Z'],
  ['2025-07-24T06:10:29.123456789', '2025-07-24T06:10:29.123Z'],
  ['2026-04-01T25:00:00', null],
  ['2026-04-01', null],
])('the time stamp %s is %s', (text, timestamp) => expect(readTimestamp(text)).toBe(timestamp));
