/** A logical record: its code, the contents of its physical records (88s included) and these as they stood. */
export type Bai2Record = Readonly<{ code: string; parts: readonly string[]; raw: string; line: number }>;

export const bai2Codes = ['01', '02', '03', '16', '49', '88', '98', '99'] as const;

/** What may stand behind a record on the same line. */
const followers: Readonly<Record<string, readonly string[]>> = {
  '01': ['88', '02', '99'],
  '02': ['88', '03', '98'],
  '03': ['88', '16', '49'],
  '16': ['88', '16', '49'],
  '49': ['88', '03', '98'],
  '98': ['88', '02', '99'],
  '99': ['88', '01'],
};

/** The free text of a 16 may hold `/16,` or `/49,`; only what has the whole shape of a record begins one. */
const shapes: Readonly<Record<string, RegExp>> = {
  '16': /^16,\d{3},[+-]?\d*,[012VSDZ]?[,/]/,
  '49': /^49,[+-]?\d*,\d+[ \t]*(?:\/|$)/,
};

const recordEnd = /\/[ \t]*(?=(?:01|02|03|16|49|88|98|99),)/g;

/** Physical records of one line; usually one. `owner` is the code of the record that a leading 88 continues. */
export const splitLine = (line: string, owner: string): readonly string[] => {
  const records: string[] = [];
  let start = 0;
  const codeAt = (index: number): string => line.slice(index, index + 2);
  let current = codeAt(0) === '88' ? owner : codeAt(0);
  for (const { index, 0: end } of line.matchAll(recordEnd)) {
    const next = index + end.length;
    const code = codeAt(next);
    const isRecord = followers[current]?.includes(code) ?? false;
    const hasShape = current !== '16' || (shapes[code]?.test(line.slice(next, next + 64)) ?? true);
    if (!isRecord || !hasShape) continue;
    records.push(line.slice(start, index + 1));
    start = next;
    current = code === '88' ? current : code;
  }
  records.push(line.slice(start).trimEnd());
  return records;
};

/** What a physical record says: without its code and the one slash that ends it. */
export const contentOf = (physical: string): string => {
  const content = physical.slice(3).trimEnd();
  return content.endsWith('/') ? content.slice(0, -1) : content;
};

/** Fields of a record without free text. An 88 goes on with the next field. The code is field 0. */
export const fieldsOf = ({ code, parts }: Pick<Bai2Record, 'code' | 'parts'>): readonly string[] => [
  code,
  ...parts.flatMap((part) => part.split(',')).map((field) => field.trim()),
];
