import { fromMinorUnits } from '../decimal.ts';

/** One type code of an 03: a balance or a total. `amount` is signed minor units, null where the bank gives none. */
export type Bai2Summary = Readonly<{ code: string; amount: bigint | null; items: number | null }>;

const integer = /^[+-]?\d{1,40}$/;

/** Signed minor units; null for an empty field, undefined for what is no number. */
export const readMinorUnits = (text: string): bigint | null | undefined => {
  if (text === '') return null;
  return integer.test(text) ? BigInt(text.replace('+', '')) : undefined;
};

/** How many fields behind the funds type say when the money is available; `n` is the field after it. */
export const fundsFields = (fundsType: string, n: string): number => {
  if (fundsType === 'S') return 3;
  if (fundsType === 'V') return 2;
  return fundsType === 'D' && /^\d{1,3}$/.test(n) ? 2 * Number(n) + 1 : 0;
};

/**
 * The summaries of an 03: code, amount, item count, funds type and its fields, again and again. An empty code is
 * passed over (banks leave the first summary empty, or a spare field before the slash). Undefined: unreadable.
 */
export const readSummaries = (fields: readonly string[]): readonly Bai2Summary[] | undefined => {
  const summaries: Bai2Summary[] = [];
  let at = 3;
  while (at < fields.length) {
    const [code = '', amountText = '', items = '', fundsType = '', n = ''] = fields.slice(at, at + 5);
    if (code === '') {
      at += 1;
      continue;
    }
    const amount = readMinorUnits(amountText);
    if (!/^\d{3}$/.test(code) || amount === undefined) return undefined;
    summaries.push({ code, amount, items: /^\d{1,9}$/.test(items) ? Number(items) : null });
    at += 4 + fundsFields(fundsType, n);
  }
  return summaries;
};

/** The first amount under one of the codes, in the order of the codes. */
export const balanceOf = (
  summaries: readonly Bai2Summary[],
  scale: number,
  ...codes: readonly string[]
): string | null => {
  for (const code of codes) {
    const units = summaries.find((summary) => summary.code === code && summary.amount !== null)?.amount;
    if (units !== undefined && units !== null) return fromMinorUnits(units, scale);
  }
  return null;
};
