import { choiceOr, date, dateTime, fieldNames, limit, parseQuery, text, uuid } from './parameters.ts';

const id = '0000000A-0000-4000-8000-00000000000B';

test.each([
  ['uuid', uuid, id, id.toLowerCase()],
  ['date', date, '2024-02-29', '2024-02-29'],
  ['dateTime', dateTime, '2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.123456Z'],
  ['dateTime', dateTime, '2026-01-01T00:00:00+02:00', '2026-01-01T00:00:00+02:00'],
  ['limit', limit(100, 500), '500', 500],
  ['limit', limit(100, 500), undefined, 100],
  ['choice', choiceOr(['a', 'b'], 'b'), undefined, 'b'],
  ['fields', fieldNames(['a', 'b']), 'b,a,b', ['b', 'a']],
  ['fields', fieldNames(['a', 'b']), undefined, undefined],
] as const)('%s reads %3$j', (_, parse, written, value) => {
  expect(parse(written)).toEqual({ ok: true, value });
});

test.each([
  ['a uuid', uuid, ['', 'x', id.slice(1), `${id} `, `{${id}}`]],
  ['a date', date, ['', '2023-02-29', '2026-13-01', '0000-01-01', '26-01-01', '2026-1-1', '2026-01-01T00:00:00Z']],
  [
    'a date-time',
    dateTime,
    ['2026-01-01', '2026-01-01T00:00:00', '2026-02-30T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01 00:00:00Z'],
  ],
  ['a limit', limit(100, 500), ['0', '501', '-1', '1.5', '1e2', '', ' 1', '99999999999999999999']],
  ['a choice', choiceOr(['a'], 'a'), ['', 'A', 'toString']],
  ['fields', fieldNames(['a']), ['', 'a,', 'b', 'a, a', '__proto__']],
  ['text', text(3), ['', 'abcd', 'a\0']],
] as const)('what is not %s is refused', (_, parse, texts) => {
  expect(texts.filter((written) => parse(written).ok)).toEqual([]);
});

test('every fault of a query is told, unknown and repeated parameters too', () => {
  const parsed = parseQuery(
    { limit: limit(1, 9), date },
    { limit: ['1', '2'], date: 'x', other: '1', constructor: '2' },
  );
  expect(parsed.ok ? [] : parsed.errors.map(({ path }) => path).sort()).toEqual([
    'constructor',
    'date',
    'limit',
    'other',
  ]);
});

test('a parameter that every object inherits is still absent', () => {
  expect(parseQuery({ toString: text(9) }, {})).toEqual({ ok: true, values: { toString: undefined } });
});
