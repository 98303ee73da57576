import { canonical } from '@causeway/money';
import { contentFields, type StatementRow } from './statement.ts';

/** A fixed-length digest of a text; collisions must be infeasible to construct, since a payer writes the narrative. */
export type Digest = (text: string) => string;

/** What rows are compared by. The digests make the identity index small and keep what the bank wrote out of it. */
export type Imprint = Readonly<{
  /** The one spelling of the amount: 1.10 and 1.1 are the same money. */
  amountKey: string;
  /** All that identifies a row which has no bank id of its own. */
  fingerprint: string;
  narrative: string;
  /** All that a client can see. */
  content: string;
}>;

/** A row of a page, ready to be compared. */
export type SeenRow = Readonly<{ row: StatementRow; print: Imprint }>;

const separator = '\u001f';

/** A line break, two blanks in a row, or blanks at an end: rare, and worth a look before every text is rewritten. */
const untidy = /[^\S ]| {2}|^ | $/;

/** Upper case, single blanks, no line breaks: banks wrap and pad the same text differently from report to report. */
const normalised = (text: string | null): string => {
  const upper = (text ?? '').toUpperCase();
  return untidy.test(upper) ? upper.replace(/\s+/g, ' ').trim() : upper;
};

/** The bank's own words; our `description` only where it sent none, since that one may come to be worded differently. */
const narrativeOf = ({ content }: StatementRow): string => normalised(content.rawDescription ?? content.description);

const fingerprintText = (row: StatementRow, amountKey: string, narrative: string): string =>
  [
    row.content.postedDate,
    row.valueDate,
    amountKey,
    row.content.currency,
    row.typeCode,
    normalised(row.content.customerReference),
    narrative,
  ].join(separator);

/** A field that is null, or missing in an event older than it, says nothing: a new one changes no row until it is filled. */
const contentText = ({ content }: StatementRow, amountKey: string): string => {
  let text = '';
  for (const field of contentFields) {
    const value: string | null | undefined = field === 'amount' ? amountKey : content[field];
    if (value !== null && value !== undefined) text += `${field}=${value}${separator}`;
  }
  return text;
};

export const imprintOf = (row: StatementRow, digest: Digest): Imprint => {
  const amountKey = canonical(row.content.amount);
  const narrative = narrativeOf(row);
  return {
    amountKey,
    fingerprint: digest(fingerprintText(row, amountKey, narrative)),
    narrative: digest(narrative),
    content: digest(contentText(row, amountKey)),
  };
};

export const seenRow = (row: StatementRow, digest: Digest): SeenRow => ({ row, print: imprintOf(row, digest) });
