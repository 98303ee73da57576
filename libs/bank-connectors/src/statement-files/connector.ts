import { BankFault, type BankAccess, type BankSession, type Connector, type Fetched } from '../connector.ts';
import { accountsIn } from './account.ts';
import { checkFile, pagesOf, type CheckedFile } from './checked-file.ts';
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
import { mapPart } from './page-parts.ts';

export type StatementFilesSettings = Readonly<{
  /** A file whose size and time stand still for so long is taken as complete. */
  standStillMs: number;
}>;

/** The interface promises half a second. */
const defaults: StatementFilesSettings = { standStillMs: 500 };

/** Reads every one of the files once; the refused ones leave the inbox here, and fail nothing. */
const checkFiles = async (
  folder: DropFolder,
  files: readonly InboxFile[],
  signal: AbortSignal,
): Promise<readonly CheckedFile[]> => {
  const checked: CheckedFile[] = [];
  for (const file of files) {
    const result = await checkFile(file, signal);
    if ('reason' in result) await moveToRejected(folder, file, result);
    else checked.push(result);
  }
  return checked;
};

async function* emit(files: readonly CheckedFile[], signal: AbortSignal): AsyncGenerator<Fetched> {
  for (const account of accountsIn(files.flatMap(({ statements }) => statements))) yield { type: 'account', account };
  const sent = new Set<string>();
  for (const checked of files) {
    // The same bytes twice in one inbox are one file.
    if (sent.has(checked.hash)) continue;
    sent.add(checked.hash);
    for await (const page of pagesOf(checked)) {
      signal.throwIfAborted();
      yield { type: 'page', page };
    }
    if (!(await isUnchanged(checked.file)))
      throw new BankFault('unavailable', `${checked.file.name} was changed while it was read`);
  }
  signal.throwIfAborted();
}

const openSession = (access: BankAccess, { standStillMs }: StatementFilesSettings): BankSession => {
  const folder = dropFolder(access.fileDropDir, access.connectionId);
  let taken: readonly CheckedFile[] = [];
  return {
    async *fetch(signal) {
      try {
        await prepareFolder(folder);
        taken = await checkFiles(folder, await completeFiles(folder, standStillMs, signal), signal);
        yield* emit(taken, signal);
      } catch (error) {
        throw isFileSystemError(error)
          ? new BankFault('unavailable', 'the drop folder cannot be read or written', { cause: error })
          : error;
      }
    },
    lent: () => taken.map(({ file }) => file.mark),
  };
};

/** Banks that send statement files. What is in them is in `@causeway/bank-formats`; this is where they lie. */
export const statementFilesConnector = (settings = defaults): Connector => ({
  name: 'statement-files',
  prepare: ({ fileDropDir, connectionId }) => prepareFolder(dropFolder(fileDropDir, connectionId)),
  open: (access) => openSession(access, settings),
  settle: ({ fileDropDir, connectionId }, marks) => moveToProcessed(dropFolder(fileDropDir, connectionId), marks),
  erase: ({ fileDropDir, connectionId }) => eraseFolder(fileDropDir, connectionId),
  map: mapPart,
});
