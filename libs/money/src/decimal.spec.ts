import fc from 'fast-check';
import { add, canonical, compare, isDecimal, negate, plain, sign, subtract } from './decimal.ts';

test.each(['0', '-0', '1.1', '-12.345', '007.10', '1.123456789012345678'])('%s is a decimal', (text) => {
  expect(isDecimal(text)).toBe(true);
});

test.each(['', '-', '.5', '1.', '+1', '1,5', '1e3', ' 1', '1\n', 'NaN', '1.1234567890123456789', '1'.repeat(31)])(
  '%j is none',
  (text) => {
    expect(isDecimal(text)).toBe(false);
    expect(() => add(text, '1')).toThrow(RangeError);
    expect(() => canonical(text)).toThrow(RangeError);
    expect(() => plain(text)).toThrow(RangeError);
  },
);

test.each([
  ['0.1', '0.2', '0.3'],
  ['1.10', '2', '3.10'],
  ['-1', '0.01', '-0.99'],
  ['0.000000000000000001', '99999999999999999999', '99999999999999999999.000000000000000001'],
  ['-5.00', '5', '0.00'],
])('%s and %s make %s', (a, b, sum) => {
  expect(add(a, b)).toBe(sum);
});

test.each([
  ['1.10', '1.1'],
  ['1.00', '1'],
  ['100', '100'],
  ['0100.0', '100'],
  ['-0.00', '0'],
  ['-00.50', '-0.5'],
  ['000', '0'],
])('%s in its one spelling is %s', (text, spelling) => {
  expect(canonical(text)).toBe(spelling);
});

test.each([
  ['1.10', '1.10'],
  ['0', '0'],
  ['-0', '0'],
  ['-0.00', '0.00'],
  ['-0.50', '-0.50'],
  ['0.50', '0.50'],
  ['007.10', '7.10'],
  ['-00', '0'],
])('%s without what says nothing in front is %s', (text, written) => {
  expect(plain(text)).toBe(written);
});

test.each([
  ['1.10', '1.1', 0],
  ['-0', '0', 0],
  ['-2', '-1.5', -1],
  ['10', '9.99', 1],
] as const)('%s against %s is %d', (a, b, order) => {
  expect(compare(a, b)).toBe(order);
});

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.integer({ min: 0, max: 18 }))
  .map(([units, scale]) => {
    const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
    const point = digits.length - scale;
    return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${scale === 0 ? '' : `.${digits.slice(point)}`}`;
  });

test('what is added can be taken away, and the signs agree', () => {
  fc.assert(
    fc.property(decimal, decimal, (a, b) => {
      expect(compare(subtract(add(a, b), b), a)).toBe(0);
      expect(add(a, negate(a)).replace(/[0.]/g, '')).toBe('');
      expect(sign(subtract(a, b))).toBe(compare(a, b));
    }),
  );
});

test('two amounts are equal exactly when their one spelling is', () => {
  fc.assert(
    fc.property(decimal, decimal, (a, b) => {
      expect(canonical(a) === canonical(b)).toBe(compare(a, b) === 0);
      expect(compare(canonical(a), a)).toBe(0);
    }),
  );
});
