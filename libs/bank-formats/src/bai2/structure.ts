import { minorUnits } from '../currency.ts';
import type { EventSink } from '../file-event.ts';
import { refuse } from '../refused.ts';
import { checkTrailer, emptyTally, type Tally } from './controls.ts';
import { bai2Entry, readDetail } from './entry.ts';
import { readAccount, readGroup, type Bai2Group } from './heads.ts';
import { textOnlyCode } from './kinds.ts';
import { fieldsOf, type Bai2Record } from './records.ts';
import { balanceOf, readMinorUnits, readSummaries, type Bai2Summary } from './summary.ts';

type OpenAccount = Readonly<{ number: string; currency: string; summaries: readonly Bai2Summary[]; tally: Tally }>;

/** Where in the structure 01 ( 02 ( 03 16* 49 )* 98 )* 99 the file stands. */
export type Bai2Structure = {
  readonly sink: EventSink;
  file: Tally | null;
  group: (Bai2Group & Readonly<{ tally: Tally }>) | null;
  account: OpenAccount | null;
  groups: number;
  /** A file trailer was the last thing seen. */
  isWhole: boolean;
};

export const bai2Structure = (sink: EventSink): Bai2Structure => ({
  sink,
  file: null,
  group: null,
  account: null,
  groups: 0,
  isWhole: false,
});

const anomaly = (at: Bai2Structure, line: number) => (text: string) =>
  at.sink({ type: 'anomaly', text: `line ${line}: ${text}` });

const countRecords = (at: Bai2Structure, records: number): void => {
  for (const tally of [at.file, at.group?.tally, at.account?.tally]) if (tally) tally.records += records;
};

const endAccount = (at: Bai2Structure): void => {
  if (at.account === null || at.group === null) return;
  const { date, isInterim } = at.group;
  const { summaries, currency } = at.account;
  const balance = (...codes: string[]) => balanceOf(summaries, minorUnits(currency), ...codes);
  const closing = isInterim ? null : balance('015');
  const balances = {
    date,
    opening: balance('010'),
    closing,
    available: balance('045'),
    current: balance('030', '015'),
    currentAvailable: balance('060', '045'),
    closings: closing === null ? [] : [{ date, amount: closing }],
    begins: true,
    ends: true,
  };
  at.sink({ type: 'balances', balances });
  at.account = null;
};

/** Ends what the bank left open, down to the level of the record that comes. */
const endOpen = (at: Bai2Structure, line: number, level: 'account' | 'group'): void => {
  if (at.account !== null) {
    anomaly(at, line)(`account ${at.account.number} has no trailer (49)`);
    endAccount(at);
  }
  if (level === 'account' || at.group === null) return;
  anomaly(at, line)('a group has no trailer (98)');
  at.group = null;
};

const openFile = (at: Bai2Structure, record: Bai2Record): void => {
  if (at.file !== null) refuse('a second file header before the trailer of the first', { line: record.line });
  at.file = emptyTally();
  at.isWhole = false;
};

const openGroup = (at: Bai2Structure, { line, ...record }: Bai2Record): void => {
  if (at.file === null) return refuse('a group outside a file', { line });
  endOpen(at, line, 'group');
  at.groups += 1;
  at.file.sections += 1;
  at.group = { ...readGroup(fieldsOf(record), at.groups, line), tally: emptyTally() };
};

const openAccount = (at: Bai2Structure, { line, ...record }: Bai2Record): void => {
  if (at.group === null) return refuse('an account outside a group', { line });
  endOpen(at, line, 'account');
  const fields = fieldsOf(record);
  const account = readAccount(fields, at.group, line);
  const summaries = readSummaries(fields);
  if (summaries === undefined) anomaly(at, line)(`the summaries of account ${account.number} are unreadable`);
  at.group.tally.sections += 1;
  const total = (summaries ?? []).reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);
  const { number, currency } = account;
  at.account = { number, currency, summaries: summaries ?? [], tally: { ...emptyTally(), total } };
  at.sink({ type: 'statement', statement: { id: null, account, report: at.group.report } });
};

const takeDetail = (at: Bai2Structure, { parts, raw, line }: Bai2Record): void => {
  if (at.account === null || at.group === null) return refuse('a transaction outside an account', { line });
  const { typeCode, amount } = readDetail(parts);
  at.account.tally.total += readMinorUnits(amount) ?? 0n;
  if (typeCode === textOnlyCode) return;
  const { day, pending } = at.group.report;
  const { entry, problems } = bai2Entry(raw, { currency: at.account.currency, day, pending });
  problems.forEach(anomaly(at, line));
  if (entry !== null) at.sink({ type: 'entry', entry, record: raw });
};

const closeAccount = (at: Bai2Structure, { line, ...record }: Bai2Record): void => {
  if (at.account === null || at.group === null) return refuse('an account trailer without its account', { line });
  const [, total = '', records = ''] = fieldsOf(record);
  const trailer = { name: `the trailer of account ${at.account.number}`, total, sections: null, records };
  at.group.tally.total += checkTrailer(trailer, at.account.tally, anomaly(at, line));
  endAccount(at);
};

const closeGroup = (at: Bai2Structure, { line, ...record }: Bai2Record): void => {
  endOpen(at, line, 'account');
  if (at.group === null || at.file === null) return refuse('a group trailer without its group', { line });
  const [, total = '', sections = '', records = ''] = fieldsOf(record);
  const trailer = { name: 'the group trailer', total, sections, records };
  at.file.total += checkTrailer(trailer, at.group.tally, anomaly(at, line));
  at.group = null;
};

const closeFile = (at: Bai2Structure, { line, ...record }: Bai2Record): void => {
  endOpen(at, line, 'group');
  if (at.file === null) return refuse('a file trailer without its file', { line });
  const [, total = '', sections = '', records = ''] = fieldsOf(record);
  if (records === '') refuse('the file trailer (99) is cut off', { line });
  checkTrailer({ name: 'the file trailer', total, sections, records }, at.file, anomaly(at, line));
  at.file = null;
  at.isWhole = true;
};

const opens: Readonly<Record<string, (at: Bai2Structure, record: Bai2Record) => void>> = {
  '01': openFile,
  '02': openGroup,
  '03': openAccount,
};
const fillsOrCloses: Readonly<Record<string, (at: Bai2Structure, record: Bai2Record) => void>> = {
  '16': takeDetail,
  '49': closeAccount,
  '98': closeGroup,
  '99': closeFile,
};

/** A header counts among the records of the section it opens, a trailer among those of the one it closes. */
export const takeRecord = (at: Bai2Structure, record: Bai2Record, physicalRecords: number): void => {
  opens[record.code]?.(at, record);
  countRecords(at, physicalRecords);
  fillsOrCloses[record.code]?.(at, record);
};
