import { readEntryRecord, type BankFileFormat, type ReadEntry } from '@causeway/bank-formats';
import type { ClosingBalance, Coverage, StatementPage, StatementRow } from '@causeway/domain/ledger';
import { hash } from 'node:crypto';
import { BankFault, partBytesMax, partRowsMax, type RawPage } from '../connector.ts';
import { coverageOf, type PlannedPage } from './page-plan.ts';

/** What a part says beside its records. With it, the records alone give the rows again, by a better mapping even. */
type PartHead = Readonly<{
  format: BankFileFormat;
  currency: string;
  day: string;
  pending: boolean;
  coverage: Coverage;
  closingBalances: readonly ClosingBalance[];
}>;
type Part = PartHead & Readonly<{ records: readonly string[] }>;

const headOf = (page: PlannedPage): PartHead => ({
  format: page.format,
  currency: page.currency,
  day: page.day,
  pending: page.pending,
  coverage: coverageOf(page),
  closingBalances: page.closing === null ? [] : [page.closing],
});

/** It stands in clear beside what is encrypted: of what names the page, and of the number of its account, a hash. */
const rangeName = (...names: readonly (string | number)[]): string => `file:${hash('sha256', JSON.stringify(names))}`;

/** Gathers the records of one page, as they stood in the file, into parts. */
export const pageParts = (page: PlannedPage, fileHash: string) => {
  const opening = `${JSON.stringify(headOf(page)).slice(0, -1)},"records":[`;
  const closing = ']}';
  const emptyBytes = Buffer.byteLength(opening) + closing.length;
  const parts: Buffer[] = [];
  let records: string[] = [];
  let bytes = emptyBytes;
  let rows = 0;

  const endPart = (): void => {
    parts.push(Buffer.from(opening + records.join(',') + closing));
    records = [];
    bytes = emptyBytes;
  };
  return {
    add: (record: string): void => {
      const text = JSON.stringify(record);
      const size = Buffer.byteLength(text) + 1;
      if (records.length === partRowsMax || (records.length > 0 && bytes + size > partBytesMax)) endPart();
      records.push(text);
      bytes += size;
      rows += 1;
    },
    isComplete: (): boolean => rows === page.rows,
    page: (): Omit<RawPage, 'bankDay'> => {
      if (records.length > 0 || parts.length === 0) endPart();
      const { accountKey, number } = page;
      return { accountKey, range: { name: rangeName(fileHash, accountKey, number) }, parts };
    },
  };
};

const badPart = (what: string, cause?: unknown): BankFault => new BankFault('bad_answer', what, { cause });

const isText = (value: unknown): boolean => typeof value === 'string';

/** Parts are our own writing, kept encrypted. What a bank wrote is in the records, which are read with suspicion. */
const isPart = (value: unknown): value is Part => {
  if (typeof value !== 'object' || value === null || !('records' in value) || !('format' in value)) return false;
  return isText(value.format) && Array.isArray(value.records) && value.records.every(isText);
};

const readPart = (bytes: Buffer): Part => {
  let part: unknown;
  try {
    part = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw badPart('a part of a statement page is not JSON', cause);
  }
  if (isPart(part)) return part;
  throw badPart('a part of a statement page has no records');
};

const readRecord = (record: string, part: Part): ReadEntry => {
  try {
    return readEntryRecord(part.format, record, part);
  } catch (cause) {
    throw badPart('the record of an entry is broken', cause);
  }
};

const rowOf = (record: string, part: Part): StatementRow => {
  const { entry, problems } = readRecord(record, part);
  if (entry === null) throw badPart(`an entry is unreadable: ${problems.join(', ')}`);
  const { status } = entry;
  if (status === 'posted' || status === 'pending') return { ...entry, status };
  throw badPart(`an entry that is neither posted nor pending: ${status}`);
};

export const mapPart = (bytes: Buffer): StatementPage => {
  const part = readPart(bytes);
  const { coverage, closingBalances, records } = part;
  return { coverage, closingBalances, rows: records.map((record) => rowOf(record, part)) };
};
