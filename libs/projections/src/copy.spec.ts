import { copyEncoder } from './copy.ts';

const line = (type: Parameters<typeof copyEncoder>[0][string], value: unknown): string =>
  copyEncoder({ value: type })([{ value }]);

test.each([
  ['null is not the text \\N', 'text', null, '\\N\n'],
  ['the text \\N is not null', 'text', '\\N', '\\\\N\n'],
  ['an absent member is null', 'text', undefined, '\\N\n'],
  ['nothing in a text ends a field or a row', 'text', 'a\tb\nc\rd\\e', 'a\\tb\\nc\\rd\\\\e\n'],
  ['the character that PostgreSQL cannot hold is replaced', 'text', 'a\0b', 'a\uFFFDb\n'],
  ['and so it is within JSON', 'jsonb', { a: 'b\0' }, '{"a":"b\\\\ufffd"}\n'],
  ['in its keys too', 'jsonb', { 'a\0': 1 }, '{"a\\\\ufffd":1}\n'],
  ['half a surrogate pair is replaced', 'jsonb', ['\ud83d', '\udc00x', '🏦'], '["\\\\ufffd","\\\\ufffdx","🏦"]\n'],
  ['what only looks like an escape is kept', 'jsonb', ['\\u0000'], '["\\\\\\\\u0000"]\n'],
  ['an amount keeps its digits', 'numeric', '-12345678901234567890.10', '-12345678901234567890.10\n'],
  ['a flag', 'boolean', false, 'f\n'],
  ['a list of texts', 'text[]', ['a"b', 'c\\d', 'NULL', ''], '{"a\\\\"b","c\\\\\\\\d","NULL",""}\n'],
] as const)('%s', (_rule, type, value, encoded) => {
  expect(line(type, value)).toBe(encoded);
});

test('columns come in their order, whatever that of the members', () => {
  expect(copyEncoder({ a: 'text', b: 'text' })([{ b: '2', a: '1' }, { a: '3' }])).toBe('1\t2\n3\t\\N\n');
});
