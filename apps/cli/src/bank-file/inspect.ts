import {
  fileFigures,
  readBankFile,
  type BankFileFormat,
  type Entry,
  type FileFigures,
  type Refusal,
} from '@causeway/bank-formats';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export type InspectOptions = Readonly<{ format?: BankFileFormat; transactions?: boolean }>;

/** A row in the interface's field names. */
export type InspectedRow = Omit<Entry['content'], 'counterpartyAccountEnd'> &
  Readonly<{
    status: Entry['status'];
    valueDate: string | null;
    entryType: 'credit' | 'debit';
    counterpartyAccountMasked: string | null;
  }>;

export type InspectedStatement = Readonly<{
  account: string;
  currency: string | null;
  date: string | null;
  opening: string | null;
  closing: string | null;
  available: string | null;
  transactions: number;
  sum: string;
  ignored?: true;
  rows?: readonly InspectedRow[];
}>;

export type Inspection = Readonly<{
  format: BankFileFormat | null;
  outcome: 'ok' | 'anomalies' | 'refused';
  anomalies: readonly string[];
  refusal: string | null;
  statements: readonly InspectedStatement[];
}>;

/** The files named, and the files in the directories named, these in name order. */
export const bankFilesUnder = async (paths: readonly string[]): Promise<readonly string[]> => {
  const found = await Promise.all(
    paths.map(async (path) => {
      if (!(await stat(path)).isDirectory()) return [path];
      const entries = await readdir(path, { withFileTypes: true });
      const names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
      return names.sort().map((name) => join(path, name));
    }),
  );
  return found.flat();
};

const refusalText = ({ reason, line, offset }: Refusal): string => {
  if (line !== undefined) return `line ${line}: ${reason}`;
  return offset === undefined ? reason : `offset ${offset}: ${reason}`;
};

const outcomeOf = ({ refusal, anomalies }: FileFigures): Inspection['outcome'] => {
  if (refusal !== null) return 'refused';
  return anomalies.length > 0 ? 'anomalies' : 'ok';
};

const rowOf = ({ status, valueDate, content: { counterpartyAccountEnd: end, ...content } }: Entry): InspectedRow => ({
  status,
  valueDate,
  entryType: content.amount.startsWith('-') ? 'debit' : 'credit',
  ...content,
  counterpartyAccountMasked: end === null ? null : `••••${end}`,
});

const statementOf = (statement: FileFigures['statements'][number]): InspectedStatement => {
  const { account, report, date, opening, closing, available, transactions, sum } = statement;
  const isIgnored = report.ignored === 'deleted' || report.ignored === 'test';
  return {
    account: account.number,
    currency: account.currency,
    date,
    opening,
    closing,
    available,
    transactions,
    sum,
    ...(isIgnored ? { ignored: true as const } : {}),
  };
};

/** What a bank file holds. Throws only when the file cannot be read from the disk. */
export const inspectBankFile = async (file: string, options: InspectOptions = {}): Promise<Inspection> => {
  const { format, transactions } = options;
  const fold = fileFigures();
  const rows: InspectedRow[][] = [];
  for await (const event of readBankFile(createReadStream(file), format === undefined ? {} : { format })) {
    const statement = fold.apply(event);
    if (transactions === true && event.type === 'entry') (rows[statement] ??= []).push(rowOf(event.entry));
  }
  const figures = fold.figures();
  return {
    format: figures.format,
    outcome: outcomeOf(figures),
    anomalies: figures.anomalies,
    refusal: figures.refusal === null ? null : refusalText(figures.refusal),
    statements: figures.statements.map((statement, index) => ({
      ...statementOf(statement),
      ...(transactions === true ? { rows: rows[index] ?? [] } : {}),
    })),
  };
};
