export { bankFileFormats } from './file-event.ts';
export type { BankFileFormat, Entry, ReadEntry, Refusal } from './file-event.ts';
export { nextDay } from './calendar.ts';
export { readBankFile, readEntryRecord } from './read-bank-file.ts';
export { fileFigures } from './statements.ts';
export type { FileFigures, Statement } from './statements.ts';
