/**
 * Exact decimals on strings: optional minus, digits, optionally a point and 1 to 18 digits. Never a JavaScript number:
 * that would lose a cent. What a bank wrote is kept as it was; only results of arithmetic are written by us.
 */

const pattern = /^-?\d{1,30}(?:\.\d{1,18})?$/;

export const isDecimal = (text: string): boolean => pattern.test(text);

/** `units` times ten to the power of minus `scale`. */
type Scaled = Readonly<{ units: bigint; scale: number }>;

const scaled = (text: string): Scaled => {
  if (!isDecimal(text)) throw new RangeError('not a decimal amount');
  const point = text.indexOf('.');
  if (point === -1) return { units: BigInt(text), scale: 0 };
  return { units: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
};

const unitsAt = ({ units, scale }: Scaled, target: number): bigint => units * 10n ** BigInt(target - scale);

const written = (units: bigint, scale: number): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${scale === 0 ? '' : `.${digits.slice(point)}`}`;
};

/** The sum, with as many fraction digits as the longer of the two. */
export const add = (a: string, b: string): string => {
  const [left, right] = [scaled(a), scaled(b)];
  const scale = Math.max(left.scale, right.scale);
  return written(unitsAt(left, scale) + unitsAt(right, scale), scale);
};

export const negate = (text: string): string => {
  const { units, scale } = scaled(text);
  return written(-units, scale);
};

export const subtract = (a: string, b: string): string => add(a, negate(b));

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`. */
export const compare = (a: string, b: string): -1 | 0 | 1 => {
  if (a === b) return 0;
  const [left, right] = [scaled(a), scaled(b)];
  const scale = Math.max(left.scale, right.scale);
  const difference = unitsAt(left, scale) - unitsAt(right, scale);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
};

export const sign = (text: string): -1 | 0 | 1 => compare(text, '0');

/** The one spelling that all equal amounts share: `1.10` and `01.1` are `1.1`, `-0.00` is `0`. */
export const canonical = (text: string): string => {
  if (!isDecimal(text)) throw new RangeError('not a decimal amount');
  const negative = text.startsWith('-');
  let from = negative ? 1 : 0;
  let to = text.length;
  const point = text.indexOf('.');
  if (point !== -1) {
    while (text.endsWith('0', to)) to--;
    if (to === point + 1) to = point;
  }
  const lastWholeDigit = (point === -1 ? to : point) - 1;
  while (from < lastWholeDigit && text[from] === '0') from++;
  const magnitude = text.slice(from, to);
  return negative && magnitude !== '0' ? `-${magnitude}` : magnitude;
};

/** Most amounts: nothing in front of them, and no zero that could have a sign. */
const tidy = /^-?[1-9]\d{0,29}(?:\.\d{1,18})?$/;

/** The same digits after the point, and none in front that say nothing; zero has no sign. */
export const plain = (text: string): string => (tidy.test(text) ? text : add(text, '0'));
