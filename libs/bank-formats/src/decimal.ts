/** Exact sums of decimal texts: as many fraction digits as the longest one summed. */
export type DecimalSum = Readonly<{ units: bigint; scale: number }>;

export const zero: DecimalSum = { units: 0n, scale: 0 };

const parse = (text: string): DecimalSum => {
  const [whole = '', fraction = ''] = text.split('.');
  return { units: BigInt(whole + fraction), scale: fraction.length };
};

const rescale = (sum: DecimalSum, scale: number): bigint => sum.units * 10n ** BigInt(scale - sum.scale);

export const add = (sum: DecimalSum, text: string): DecimalSum => {
  const other = parse(text);
  if (other.scale === sum.scale) return { units: sum.units + other.units, scale: sum.scale };
  const scale = Math.max(sum.scale, other.scale);
  return { units: rescale(sum, scale) + rescale(other, scale), scale };
};

export const textOf = ({ units, scale }: DecimalSum): string => {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
};

export const equals = (left: string, right: string): boolean => {
  const [a, b] = [parse(left), parse(right)];
  const scale = Math.max(a.scale, b.scale);
  return rescale(a, scale) === rescale(b, scale);
};

/** At most 18 digits before the point (NUMERIC takes more, no bank does) and 18 behind it, as the API promises. */
const plainDecimal = /^\+?(\d{0,18})(?:\.(\d{0,18}))?$/;

/** An unsigned decimal as banks write it, without sign and leading zeros; null when it is none. */
export const readDecimal = (text: string): string | null => {
  const match = plainDecimal.exec(text);
  const [, whole = '', fraction = ''] = match ?? [];
  if (match === null || whole + fraction === '') return null;
  return textOf({ units: BigInt(whole + fraction), scale: fraction.length });
};

export const negate = (text: string): string => {
  const { units, scale } = parse(text);
  return textOf({ units: -units, scale });
};
