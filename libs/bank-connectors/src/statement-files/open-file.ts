import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { isFileSystemError, markOf, type InboxFile } from './drop-folder.ts';

/** It is not, or no longer, the file that was meant. */
export class FileGone extends Error {}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/**
 * The bytes of a file as it was when it was looked at. Opened by its path, which may lead elsewhere by now: what is not
 * the same file is not read.
 */
export async function* openFile({ path, mark }: InboxFile, onChunk: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    throw isFileSystemError(error) && error.code === 'ENOENT' ? new FileGone() : error;
  });
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || markOf(stat) !== mark) throw new FileGone();
    for await (const chunk of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      onChunk(chunk);
      yield chunk;
    }
  } finally {
    await handle.close();
  }
}
