import { integer, list, oneOf, required, SettingInvalid } from './settings.ts';

const port = { min: 0, max: 65535 };

test.each([
  ['a missing one that is needed', () => required({}, 'CAUSEWAY_X')],
  ['an empty one that is needed', () => required({ CAUSEWAY_X: ' ' }, 'CAUSEWAY_X')],
  ['a word for a number', () => integer({ CAUSEWAY_X: 'many' }, 'CAUSEWAY_X', 1, port)],
  ['a number out of bounds', () => integer({ CAUSEWAY_X: '70000' }, 'CAUSEWAY_X', 1, port)],
  ['a fraction', () => integer({ CAUSEWAY_X: '1.5' }, 'CAUSEWAY_X', 1, port)],
  ['a word that is no choice', () => oneOf({ CAUSEWAY_X: 'c' }, 'CAUSEWAY_X', 'a', ['a', 'b'])],
])('%s is refused, and the variable named', (_, read) => {
  expect(read).toThrow(SettingInvalid);
  expect(read).toThrow(/CAUSEWAY_X/);
});

test.each([
  ['an unset number has its default', integer({}, 'CAUSEWAY_X', 3000, port), 3000],
  ['a number is read', integer({ CAUSEWAY_X: '0' }, 'CAUSEWAY_X', 3000, port), 0],
  ['a choice is read', oneOf({ CAUSEWAY_X: 'b' }, 'CAUSEWAY_X', 'a', ['a', 'b']), 'b'],
  ['a list is split and trimmed', list({ CAUSEWAY_X: 'a:1, b:2,' }, 'CAUSEWAY_X'), ['a:1', 'b:2']],
])('%s', (_, actual, expected) => {
  expect(actual).toEqual(expected);
});
