export {
  bankFileFormats,
  type Balances,
  type BankFileFormat,
  type Entry,
  type EntryContext,
  type FileAccount,
  type FileEvent,
  type ReadEntry,
  type Refusal,
  type Report,
  type StatementHead,
} from './file-event.ts';
export { nextDay } from './calendar.ts';
export { readBankFile, readEntryRecord } from './read-bank-file.ts';
export { fileFigures, type FileFigures, type Statement } from './statements.ts';
