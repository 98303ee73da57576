import type { ClosingBalance, DayRange, StatementRow } from '@causeway/domain/ledger';

export const bankFileFormats = [
  'bai2',
  'mt940',
  'mt942',
  'camt.052',
  'camt.053',
  'camt.054',
  'ofx',
  'nacha',
  'pain.001',
  'pain.002',
  'pain.008',
] as const;
export type BankFileFormat = (typeof bankFileFormats)[number];

/** One entry of a file in the ledger's words. The ledger books posted and pending ones; a file holds others, too. */
export type Entry = Omit<StatementRow, 'status'> &
  Readonly<{ status: StatementRow['status'] | 'information' | 'future' }>;

/** What an entry's own record does not say: where it stands. With the record it gives the same entry at any time. */
export type EntryContext = Readonly<{
  /** The account's. An entry may name another one. Null where the file says none. */
  currency: string | null;
  /** The day of the report; null where it says none. */
  day: string | null;
  /** Every entry of the report is pending (a same-day interim report of BAI2). */
  pending: boolean;
}>;

/** An entry as its record was read. Null: unreadable, nothing can be booked of it. Problems are anomalies of the file. */
export type ReadEntry = Readonly<{ entry: Entry | null; problems: readonly string[] }>;

export type FileAccount = Readonly<{
  /** The bank's identifier where the number alone does not say it; otherwise empty. */
  bank: string;
  number: string;
  /** Null when neither account, balance nor entry names one. */
  currency: string | null;
  name: string | null;
  /** `Acct/Tp/Cd` of camt (CACC, SVGS …). */
  typeCode: string | null;
  routingNumber: string | null;
  swiftBic: string | null;
}>;

export type Report = Readonly<{
  /** Sections of one account under the same key are parts of one report and never overlap. */
  key: string;
  day: string | null;
  pending: boolean;
  /** It is the final report of these days: a row still pending there has not come to pass. Null: it does not say so. */
  covers: DayRange | null;
  /** It replaces what was reported of its day before (BAI2 group status 3). */
  corrects: boolean;
  /** Not for the ledger: the bank deletes or tests the group, or the message only repeats what a statement books. */
  ignored: 'deleted' | 'test' | 'notification' | null;
  /** UTC, milliseconds. A bank that writes no zone is taken to mean UTC. */
  createdAt: string | null;
}>;

export type StatementHead = Readonly<{
  /** The bank's number of the statement, which its pages share; null where the format has none. */
  id: string | null;
  account: FileAccount;
  report: Report;
}>;

/** Booked and available balances a statement states; decimal strings, null where absent. */
export type Balances = Readonly<{
  /** The day of the statement as the format gives it: the group's as-of date, or the date of the closing balance. */
  date: string | null;
  opening: string | null;
  /** The closing booked balance, never an interim one. */
  closing: string | null;
  /** The closing available balance. */
  available: string | null;
  /** Interim readings; an account shows them as long as there is nothing better. */
  current: string | null;
  currentAvailable: string | null;
  /** Every closing booked balance by its day. */
  closings: readonly ClosingBalance[];
  /** Pages of one statement: the first begins it, the last ends it, and only then do the balances frame the entries. */
  begins: boolean;
  ends: boolean;
}>;

/** `line` counts from 1, `offset` bytes from 0 (of the unpacked file); whichever says where it broke. */
export type Refusal = Readonly<{ reason: string; line?: number; offset?: number }>;

/** What a file holds, in its own order: a statement, its entries, its balances, the next statement. */
export type FileEvent =
  | Readonly<{ type: 'format'; format: BankFileFormat }>
  | Readonly<{ type: 'statement'; statement: StatementHead }>
  | Readonly<{ type: 'entry'; entry: Entry; record: string }>
  | Readonly<{ type: 'balances'; balances: Balances }>
  | Readonly<{ type: 'anomaly'; text: string }>
  /** The last event: nothing of this file may be booked, whatever came before. */
  | Readonly<{ type: 'refused'; refusal: Refusal }>;

export type EventSink = (event: Exclude<FileEvent, { type: 'refused' }>) => void;

/** Takes a file's bytes as they come. `end` says that there are no more. Both throw `Refused`. */
export type FileParser = Readonly<{ write(bytes: Uint8Array): void; end(): void }>;
