import { readFile, type ReadReply, type ReadRequest } from './read-file.ts';
import type { ReaderMessage } from './file-reader.ts';

/** The process that reads statement files: what they make it do, it does to itself. It ends with the one that started it. */
const progressEveryMs = 200;

const send = (message: ReaderMessage): void => void process.send?.(message);

let progressAt = 0;
const onChunk = (): void => {
  const now = performance.now();
  if (now - progressAt < progressEveryMs) return;
  progressAt = now;
  send({ type: 'progress' });
};

let replies: AsyncGenerator<ReadReply> | undefined;

const answer = async (asked: ReadRequest | 'next'): Promise<void> => {
  if (asked !== 'next') replies = readFile(asked, onChunk);
  try {
    const next = await replies?.next();
    send(next === undefined || next.done === true ? { type: 'end' } : next.value);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    send({ type: 'fault', message, code: code ?? null });
  }
};

process.on('message', (asked: ReadRequest | 'next') => void answer(asked));
process.on('disconnect', () => process.exit());
// Whoever stops a group of processes stops the one that waits for this one, too.
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => undefined);
