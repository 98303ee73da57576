import { dayOf, dayText, parseDay } from './calendar.ts';

it('a day ends at midnight, UTC', () => {
  expect(dayText(dayOf(Date.parse('2025-03-01T00:00:00.000Z') - 1))).toBe('2025-02-28');
  expect(dayText(dayOf(Date.parse('2025-03-01T00:00:00.000Z')))).toBe('2025-03-01');
});

it.each(['2025-02-29', '2025-13-01', '2025-1-1', '2025-01-01T00:00:00Z', ''])('"%s" is no day', (text) => {
  expect(parseDay(text)).toBeUndefined();
});

it('a day reads back as it was written', () => {
  expect(dayText(parseDay('2024-02-29') ?? 0)).toBe('2024-02-29');
});
