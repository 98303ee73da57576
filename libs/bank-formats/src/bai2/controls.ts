/** What a trailer must confirm: amounts in minor units, the sections one level down, physical records. */
export type Tally = { total: bigint; sections: number; records: number };

export const emptyTally = (): Tally => ({ total: 0n, sections: 0, records: 0 });

const integer = /^[+-]?\d{1,30}$/;
const readTotal = (text: string): bigint | null => (integer.test(text) ? BigInt(text.replace('+', '')) : null);

/** Banks ship wrong totals, so a trailer that disagrees is an anomaly. Answers its total, which the next level adds up. */
export const checkTrailer = (
  trailer: Readonly<{ name: string; total: string; sections: string | null; records: string }>,
  tally: Tally,
  onAnomaly: (text: string) => void,
): bigint => {
  const { name } = trailer;
  const total = readTotal(trailer.total);
  if (total === null) onAnomaly(`${name} gives no control total`);
  else if (total !== tally.total) onAnomaly(`${name} says ${total}, its amounts add up to ${tally.total}`);
  if (trailer.sections !== null && Number(trailer.sections) !== tally.sections)
    onAnomaly(`${name} says ${trailer.sections} sections, the file has ${tally.sections}`);
  if (Number(trailer.records) !== tally.records)
    onAnomaly(`${name} says ${trailer.records} records, the file has ${tally.records}`);
  return total ?? 0n;
};
