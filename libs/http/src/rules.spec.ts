import { parseQuery } from './input.ts';
import {
  IsCalendarDate,
  IsCurrency,
  IsCursor,
  IsFieldList,
  IsLimit,
  IsOneOf,
  IsText,
  IsTimestamp,
  IsUuid,
  MayBeLeftOut,
} from './rules.ts';

class Query {
  @IsCursor()
  cursor?: string;

  @IsLimit(500)
  limit = 100;

  @IsFieldList(['a', 'b'])
  fields?: readonly string[];

  @MayBeLeftOut()
  @IsUuid()
  uuid?: string;

  @MayBeLeftOut()
  @IsCalendarDate()
  date?: string;

  @MayBeLeftOut()
  @IsTimestamp()
  at?: string;

  @MayBeLeftOut()
  @IsOneOf(['x', 'y'])
  choice = 'y';

  @MayBeLeftOut()
  @IsCurrency()
  currency?: string;

  @MayBeLeftOut()
  @IsText(3)
  text?: string;
}

const id = '0000000A-0000-4000-8000-00000000000B';

test.each([
  ['uuid', id, id.toLowerCase()],
  ['date', '2024-02-29', '2024-02-29'],
  ['at', '2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.123456Z'],
  ['at', '2026-01-01T00:00:00+02:00', '2026-01-01T00:00:00+02:00'],
  ['limit', '500', 500],
  ['choice', 'x', 'x'],
  ['fields', 'b,a,b', ['b', 'a']],
  ['cursor', '', ''],
])('%s reads %j', (name, written, value) => {
  const parsed = parseQuery(Query, { [name]: written });
  expect(parsed.ok && parsed.value).toMatchObject({ [name]: value });
});

test('what is left out is its default, or undefined', () => {
  const parsed = parseQuery(Query, {});
  expect(parsed.ok && { ...parsed.value }).toEqual({ limit: 100, choice: 'y' });
});

test.each([
  ['uuid', ['', 'x', id.slice(1), `${id} `, `{${id}}`]],
  ['date', ['', '2023-02-29', '2026-13-01', '0000-01-01', '26-01-01', '2026-1-1', '2026-01-01T00:00:00Z']],
  ['at', ['2026-01-01', '2026-01-01T00:00:00', '2026-02-30T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01 00:00:00Z']],
  ['at', ['2026-01-01T00:00:00.1234567Z']],
  ['limit', ['0', '501', '-1', '1.5', '1e2', '', ' 1', '99999999999999999999']],
  ['choice', ['', 'X', 'toString']],
  ['fields', ['', 'a,', 'c', 'a, a', '__proto__']],
  ['text', ['', 'abcd', 'a\0']],
  ['currency', ['usd', 'US', '']],
])('%s refuses what it is not', (name, texts) => {
  const refusals = texts.map((written) => parseQuery(Query, { [name]: written }));
  expect(refusals.map((parsed) => (parsed.ok ? [] : parsed.errors.map(({ path }) => path)))).toEqual(
    texts.map(() => [name]),
  );
});

test('every fault of a query is told, unknown and repeated parameters too', () => {
  const parsed = parseQuery(Query, { limit: ['1', '2'], date: 'x', other: '1', constructor: '2' });
  const paths = parsed.ok ? [] : parsed.errors.map(({ path }) => path);
  expect(paths.sort()).toEqual(['constructor', 'date', 'limit', 'other']);
});
