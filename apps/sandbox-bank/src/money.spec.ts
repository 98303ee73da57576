import { centsText, parseCents } from './money.ts';

it.each([
  ['0', 0],
  ['0.00', 0],
  ['-0', 0],
  ['12', 1200],
  ['12.3', 1230],
  ['12.340000', 1234],
  ['-0.01', -1],
  ['90071992547409.91', Number.MAX_SAFE_INTEGER],
])('%s is an amount', (text, cents) => {
  expect(parseCents(text)).toBe(cents);
});

it.each(['', '.5', '1.', '1e3', '12.345', ' 1', '1,00', '+1', '90071992547409.92', '9'.repeat(16)])(
  '"%s" is no amount that the bank can hold',
  (text) => {
    expect(parseCents(text)).toBeUndefined();
  },
);

it.each([
  [0, '0.00'],
  [5, '0.05'],
  [-5, '-0.05'],
  [-123456, '-1234.56'],
])('%d cents are written %s', (cents, text) => {
  expect(centsText(cents)).toBe(text);
});
