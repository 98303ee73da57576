const placeholders = new Set(['NONREF', 'NOTPROVIDED', 'NOT PROVIDED']);

/** A reference that tells entries apart, or null: banks fill the field with words and with one digit throughout. */
export const usableReference = (text: string | null | undefined): string | null => {
  const reference = text?.trim() ?? '';
  if (reference === '' || placeholders.has(reference.toUpperCase()) || /^(\d)\1*$/.test(reference)) return null;
  return reference;
};

/** Enough to recognise an account by and too little to use it: four characters, and never more than half. */
export const maskedAccount = (number: string | null): string | null => {
  const compact = number?.replaceAll(/\s/g, '') ?? '';
  const shown = Math.min(4, Math.floor(compact.length / 2));
  return shown === 0 ? null : `••••${compact.slice(-shown)}`;
};

/** Longer than any bank's narrative; a batch may repeat its own a thousand times. */
const narrativeCharsMax = 4096;

const cut = (text: string): string =>
  text.length <= narrativeCharsMax ? text : text.slice(0, narrativeCharsMax).replace(/[\ud800-\udbff]$/, '');

export const rawNarrative = (lines: readonly string[]): string | null => cut(lines.join('\n')) || null;

/** One line, single blanks. */
export const narrative = (lines: readonly string[]): string => cut(lines.join(' ').replace(/\s+/g, ' ').trim());
