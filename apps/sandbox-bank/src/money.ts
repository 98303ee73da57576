/**
 * An amount in whole cents. An integer that a JavaScript number holds exactly (to 2^53); every currency of this bank
 * has two decimals. Outside the process amounts are decimal strings.
 */
export type Cents = number;

export const centsText = (cents: Cents): string => {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

/** Undefined for what is no amount of at most two decimals, or is too large to be held exactly. */
export const parseCents = (text: string): Cents | undefined => {
  const match = /^(-?)(\d{1,15})(?:\.(\d{1,18}))?$/.exec(text);
  if (match === null) return undefined;
  const decimals = (match[3] ?? '').replace(/0+$/, '');
  if (decimals.length > 2) return undefined;
  const cents = Number(match[2] + decimals.padEnd(2, '0'));
  if (!Number.isSafeInteger(cents)) return undefined;
  return match[1] === '-' && cents !== 0 ? -cents : cents;
};
