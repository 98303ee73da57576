import { BankFault, type BankAccess, type BankSession, type Connector, type Fetched } from '../connector.ts';
import { addAccounts, type DatedAccount } from './account.ts';
import {
  completeFiles,
  dropFolder,
  eraseFolder,
  isFileSystemError,
  isUnchanged,
  moveToProcessed,
  moveToRejected,
  prepareFolder,
  type DropFolder,
  type InboxFile,
} from './drop-folder.ts';
import { fileReader, ReaderEnded, readerLimits, type FileReader, type ReaderLimits } from './file-reader.ts';
import { mapPart } from './page-parts.ts';
import type { ReadReply } from './read-file.ts';

export type StatementFilesSettings = Readonly<{
  /** A file whose size and time stand still for so long is taken as complete. */
  standStillMs: number;
  limits: ReaderLimits;
}>;

/** The interface promises half a second. */
const defaults: StatementFilesSettings = { standStillMs: 500, limits: readerLimits };

/** Accounts of one sync. Files beyond wait for the next. */
const accountsMax = 10_000;

/** A file that has been read to its end once, and found bookable. */
type CheckedFile = Readonly<{ file: InboxFile; hash: string; bankDay: string }>;

type Refused = Extract<ReadReply, { type: 'refused' }>;
type Checked = Readonly<{ type: 'checked'; checked: CheckedFile; accounts: readonly DatedAccount[] }>;

/** How often the reader of a file, as it was when it was looked at, has ended: by its path and mark. */
const endings = () => {
  const counts = new Map<string, number>();
  const keyOf = ({ path, mark }: InboxFile): string => `${path} ${mark}`;
  return {
    ofFile: (file: InboxFile): number => counts.get(keyOf(file)) ?? 0,
    add: (file: InboxFile): void => void counts.set(keyOf(file), (counts.get(keyOf(file)) ?? 0) + 1),
    forget: (file: InboxFile): void => void counts.delete(keyOf(file)),
  };
};

const endingsMax = 2;

type Session = Readonly<{
  folder: DropFolder;
  standStillMs: number;
  reader: FileReader;
  ended: ReturnType<typeof endings>;
}>;

const checkOnce = async (
  { reader }: Session,
  file: InboxFile,
  signal: AbortSignal,
): Promise<Checked | Refused | null> => {
  const bankDay = new Date().toISOString().slice(0, 10);
  const accounts: DatedAccount[] = [];
  let result: Checked | Refused | null = null;
  for await (const reply of reader.read({ kind: 'check', file, bankDay }, signal)) {
    if (reply.type === 'accounts') accounts.push(...reply.accounts);
    if (reply.type === 'refused') result = reply;
    if (reply.type === 'checked') result = { type: 'checked', checked: { file, hash: reply.hash, bankDay }, accounts };
  }
  return result;
};

/** Null: it is gone, or another one by now, which the next sync takes. */
const checkFile = async (session: Session, file: InboxFile, signal: AbortSignal): Promise<Checked | Refused | null> => {
  const { ended } = session;
  let reason = 'the reader did not survive it';
  while (ended.ofFile(file) < endingsMax) {
    try {
      return await checkOnce(session, file, signal);
    } catch (error) {
      if (!(error instanceof ReaderEnded)) throw error;
      ended.add(file);
      reason = error.message;
    }
  }
  return { type: 'refused', refusal: { reason: `it cannot be read twice over: ${reason}` } };
};

type Taken = Readonly<{ files: readonly CheckedFile[]; accounts: ReadonlyMap<string, DatedAccount> }>;

/** Reads every one of the files once; the refused ones leave the inbox here, and fail nothing. */
const checkFiles = async (session: Session, signal: AbortSignal): Promise<Taken> => {
  const { folder, ended } = session;
  const files: CheckedFile[] = [];
  const accounts = new Map<string, DatedAccount>();
  for (const file of await completeFiles(folder, session.standStillMs, signal)) {
    const result = await checkFile(session, file, signal);
    if (result?.type === 'refused') {
      await moveToRejected(folder, file, result.refusal);
      ended.forget(file);
    }
    if (result?.type !== 'checked') continue;
    files.push(result.checked);
    addAccounts(accounts, result.accounts);
    if (accounts.size >= accountsMax) break;
  }
  return { files, accounts };
};

async function* pagesOf(
  session: Session,
  { file, bankDay }: CheckedFile,
  signal: AbortSignal,
): AsyncGenerator<Fetched> {
  let parts: Buffer[] = [];
  try {
    for await (const reply of session.reader.read({ kind: 'pages', file, bankDay }, signal)) {
      if (reply.type !== 'part') continue;
      parts.push(Buffer.from(reply.part.buffer, reply.part.byteOffset, reply.part.byteLength));
      if (reply.page === null) continue;
      yield { type: 'page', page: { ...reply.page, parts } };
      parts = [];
    }
  } catch (error) {
    if (!(error instanceof ReaderEnded)) throw error;
    session.ended.add(file);
    throw new BankFault('unavailable', 'A statement file could not be read.', { cause: error });
  }
}

async function* emit(session: Session, { files, accounts }: Taken, signal: AbortSignal): AsyncGenerator<Fetched> {
  for (const { account } of accounts.values()) yield { type: 'account', account };
  const sent = new Set<string>();
  for (const checked of files) {
    // The same bytes twice in one inbox are one file.
    if (sent.has(checked.hash)) continue;
    sent.add(checked.hash);
    yield* pagesOf(session, checked, signal);
    if (!(await isUnchanged(checked.file)))
      throw new BankFault('unavailable', 'A statement file was changed while it was read.');
  }
  signal.throwIfAborted();
}

const outOfReach = (error: unknown): unknown =>
  isFileSystemError(error)
    ? new BankFault('unavailable', 'the drop folder cannot be read or written', { cause: error })
    : error;

const openSession = (session: Session): BankSession => {
  let taken: Taken = { files: [], accounts: new Map() };
  return {
    async *fetch(signal) {
      try {
        await prepareFolder(session.folder);
        taken = await checkFiles(session, signal);
        yield* emit(session, taken, signal);
      } catch (error) {
        throw outOfReach(error);
      } finally {
        session.reader.close();
      }
    },
    lent: () => taken.files.map(({ file }) => file.mark),
  };
};

/** Banks that send statement files. What is in them is in `@causeway/bank-formats`; this is where they lie. */
export const statementFilesConnector = (settings: Partial<StatementFilesSettings> = {}): Connector => {
  const { standStillMs, limits } = { ...defaults, ...settings };
  const ended = endings();
  const folderOf = ({ fileDropDir, connectionId }: BankAccess) => dropFolder(fileDropDir, connectionId);
  const prepare = (access: BankAccess): Promise<void> =>
    prepareFolder(folderOf(access)).catch((error: unknown) => {
      throw outOfReach(error);
    });
  return {
    name: 'statement-files',
    isDelegated: false,
    prepare,
    // Whoever puts files into the folder is let in by the file system.
    login: prepare,
    open: (access) => openSession({ folder: folderOf(access), standStillMs, reader: fileReader(limits), ended }),
    settle: (access, marks) => moveToProcessed(folderOf(access), marks),
    erase: ({ fileDropDir, connectionId }) => eraseFolder(fileDropDir, connectionId),
    map: mapPart,
  };
};
