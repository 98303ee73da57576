import { transactionContent, type TransactionContent } from '@causeway/domain/ledger';
import { readCompactDate } from '../calendar.ts';
import { minorUnits } from '../currency.ts';
import { fromMinorUnits } from '../decimal.ts';
import { accountEnd, narrative, rawNarrative, shortText, usableReference } from '../entry-text.ts';
import type { EntryContext, ReadEntry } from '../file-event.ts';
import { directionOf, kindOf } from './kinds.ts';
import { contentOf } from './records.ts';
import { fundsFields, readMinorUnits } from './summary.ts';

export type Bai2Detail = Readonly<{
  typeCode: string;
  amount: string;
  fundsType: string;
  funds: readonly string[];
  bankReference: string;
  customerReference: string;
  text: readonly string[];
}>;

/** Reads fields across 88 records, up to where the free text begins. */
const fieldCursor = (parts: readonly string[]) => {
  const rest = parts.slice(1);
  let current: string | null = parts[0] ?? '';
  const next = (): string => {
    if (current === null) {
      // The reference fields may stand in a continuation; one without a comma is text already.
      if (rest[0]?.includes(',') !== true) return '';
      current = rest.shift() ?? '';
    }
    const comma = current.indexOf(',');
    const field = comma === -1 ? current : current.slice(0, comma);
    current = comma === -1 ? null : current.slice(comma + 1);
    return field.trim();
  };
  return { next, text: (): readonly string[] => (current === null ? rest : [current, ...rest]) };
};

/** The fields of a 16 by name. `parts`: what its physical records say. */
export const readDetail = (parts: readonly string[]): Bai2Detail => {
  const { next, text } = fieldCursor(parts);
  const [typeCode, amount, fundsType] = [next(), next(), next()];
  const hasFunds = fundsType === 'S' || fundsType === 'V' || fundsType === 'D';
  const first = hasFunds ? [next()] : [];
  const funds = [...first, ...Array.from({ length: fundsFields(fundsType, first[0] ?? '') - 1 }, next)];
  const [bankReference, customerReference] = [next(), next()];
  const lines = text().map((line) => line.trim());
  return { typeCode, amount, fundsType, funds, bankReference, customerReference, text: lines.filter((l) => l !== '') };
};

const valueOf = (lines: readonly string[], keys: readonly string[]): string | null => {
  for (const key of keys) {
    const line = lines.find((each) => each.startsWith(`${key}:`));
    const value = line
      ?.slice(key.length + 1)
      .replace(/^=/, '')
      .trim();
    if (value) return value;
  }
  return null;
};

const contentFrom = (detail: Bai2Detail, amount: string, context: EntryContext): TransactionContent => {
  const isCredit = directionOf(detail.typeCode) === 'credit';
  return transactionContent({
    postedDate: context.pending ? null : context.day,
    amount,
    currency: context.currency ?? '',
    description: narrative(detail.text),
    ...kindOf(detail.typeCode),
    rawDescription: rawNarrative(detail.text),
    customerReference: usableReference(detail.customerReference) ?? usableReference(valueOf(detail.text, ['EREF'])),
    bankReference: usableReference(detail.bankReference),
    baiCode: detail.typeCode,
    counterpartyName: shortText(valueOf(detail.text, isCredit ? ['ORG', 'DBNM'] : ['BNF NAME', 'CRNM'])),
    counterpartyAccountEnd: accountEnd(valueOf(detail.text, isCredit ? ['DACT'] : ['CACT'])),
  });
};

const valueDateOf = (detail: Bai2Detail, problems: string[]): string | null => {
  const text = detail.fundsType === 'V' ? (detail.funds[0] ?? '') : '';
  if (text === '') return null;
  const read = readCompactDate(text);
  if (read === null || read.clamped) problems.push(`value date ${text} does not exist`);
  return read?.date ?? null;
};

/** A 16 record with its 88s, as it stood, → the entry. Pure: the same record and context always give the same. */
export const bai2Entry = (record: string, context: EntryContext): ReadEntry => {
  const detail = readDetail(record.split('\n').map(contentOf));
  const units = readMinorUnits(detail.amount);
  const direction = directionOf(detail.typeCode);
  if (units === undefined || units === null)
    return { entry: null, problems: [`amount ${detail.amount || '(none)'} is unreadable`] };
  if (direction === null)
    return { entry: null, problems: [`type code ${detail.typeCode} is neither credit nor debit`] };
  if (context.day === null || context.currency === null) return { entry: null, problems: ['no day or currency'] };

  const amount = fromMinorUnits(direction === 'credit' ? units : -units, minorUnits(context.currency));
  const problems: string[] = [];
  const entry = {
    status: context.pending ? ('pending' as const) : ('posted' as const),
    bankId: usableReference(detail.bankReference),
    day: context.day,
    valueDate: valueDateOf(detail, problems),
    typeCode: detail.typeCode,
    content: contentFrom(detail, amount, context),
  };
  return { entry, problems };
};
