const placeholders = new Set(['NONREF', 'NOTPROVIDED', 'NOT PROVIDED']);

/** camt allows 35 characters, BAI2 writes fewer. What is longer is no reference; an index could not hold it. */
const referenceCharsMax = 256;

/** A reference that tells entries apart, or null: banks fill the field with words and with one digit throughout. */
export const usableReference = (text: string | null | undefined): string | null => {
  const reference = text?.trim() ?? '';
  if (reference === '' || reference.length > referenceCharsMax) return null;
  return placeholders.has(reference.toUpperCase()) || /^(\d)\1*$/.test(reference) ? null : reference;
};

/** Enough to recognise an account by and too little to use it: four characters, and never more than half. */
export const accountEnd = (number: string | null): string | null => {
  const compact = number?.replaceAll(/\s/g, '') ?? '';
  const shown = Math.min(4, Math.floor(compact.length / 2));
  return shown === 0 ? null : compact.slice(-shown);
};

/** Longer than any bank's narrative; a batch may repeat its own a thousand times. */
const narrativeCharsMax = 4096;

/** Never in the middle of a character. */
const cut = (text: string, charsMax = narrativeCharsMax): string =>
  text.length <= charsMax ? text : text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, '');

/** Names and codes; ISO 20022 allows 140 characters. */
export const shortText = (text: string | null): string | null => (text === null ? null : cut(text.trim(), 256) || null);

export const rawNarrative = (lines: readonly string[]): string | null => cut(lines.join('\n')) || null;

/** One line, single blanks. */
export const narrative = (lines: readonly string[]): string => cut(lines.join(' ').replace(/\s+/g, ' ').trim());
