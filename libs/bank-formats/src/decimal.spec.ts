import { minorUnits } from './currency.ts';
import { fromMinorUnits, readDecimal } from './decimal.ts';

test.each([
  ['12.34', '12.34'],
  ['+012.', '12'],
  ['.5', '0.5'],
  ['000', '0'],
  ['5442.09000', '5442.09000'],
  ['999999999999999999.123456789012345678', '999999999999999999.123456789012345678'],
  ['', null],
  ['.', null],
  ['+', null],
  ['-1', null],
  ['1,5', null],
  ['1e3', null],
  ['1 000', null],
  ['12345678901234567890123', '12345678901234567890123'],
  ['1'.repeat(41), null],
  ['0.1234567890123456789', null],
])('%j reads as %s', (text, decimal) => expect(readDecimal(text)).toBe(decimal));

test.each([
  [1234n, 'USD', '12.34'],
  [-5n, 'USD', '-0.05'],
  [0n, 'USD', '0.00'],
  [1234n, 'JPY', '1234'],
  [-1n, 'KWD', '-0.001'],
  [12345n, 'CLF', '1.2345'],
])('%s minor units of %s are %s', (units, currency, text) =>
  expect(fromMinorUnits(units, minorUnits(currency))).toBe(text),
);
