/** At most 18 digits behind the point, as many as the API gives out; in front of it `limits.ts` has the last word. */
const unsigned = /^\+?(\d{0,40})(?:\.(\d{0,18}))?$/;

/** An unsigned decimal as banks write it (`+012.`, `.5`), without plus and leading zeros; null when it is none. */
export const readDecimal = (text: string): string | null => {
  const [, whole = '', fraction = ''] = unsigned.exec(text) ?? [];
  if (whole + fraction === '') return null;
  const digits = whole.replace(/^0+(?=\d)/, '') || '0';
  return fraction === '' ? digits : `${digits}.${fraction}`;
};

/** Signed minor units as a decimal of the currency: `-1234` with two digits is `-12.34`. */
export const fromMinorUnits = (units: bigint, fractionDigits: number): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(fractionDigits + 1, '0');
  const point = digits.length - fractionDigits;
  const text = fractionDigits === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return units < 0n ? `-${text}` : text;
};
