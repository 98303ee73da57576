import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { ReadReply, ReadRequest } from './read-file.ts';

/** What the process of a reader says. `progress`: of its own accord, as it gets on. */
export type ReaderMessage =
  | ReadReply
  | Readonly<{ type: 'end' }>
  | Readonly<{ type: 'progress' }>
  | Readonly<{ type: 'fault'; message: string; code: string | null }>;

/** The process that read a file has ended, by itself or because it took too much. */
export class ReaderEnded extends Error {}

export type ReaderLimits = Readonly<{
  /** Of JavaScript objects. Beside them a reader holds pages of at most 64 MiB and about 60 MiB of Node.js. */
  heapMegabytes: number;
  /** Between two chunks of 64 KiB, packed ones even. */
  silenceMs: number;
  /** Until the next answer: a check has one only. 256 MB of camt take 70 s on a machine with other things to do. */
  answerMs: number;
}>;

export const readerLimits: ReaderLimits = { heapMegabytes: 192, silenceMs: 20_000, answerMs: 240_000 };

/** Bundled beside the program. */
const program = join(import.meta.dirname, 'statement-files.worker.js');

/** It needs nothing of our environment, and is given none of our secrets. */
const startReader = ({ heapMegabytes }: ReaderLimits): ChildProcess => {
  const reader = fork(program, {
    execArgv: [`--max-old-space-size=${heapMegabytes}`, '--max-semi-space-size=8'],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // One that cannot be reached is found out by the next question to it.
  return reader.on('error', () => undefined);
};

const endOf = (code: number | null, signal: string | null): string =>
  // V8 aborts when its heap is full.
  signal === 'SIGABRT' || code === 134 ? 'ran out of memory' : `ended (${signal ?? `status ${code}`})`;

/** One question, one answer, or the end of the reader. */
const ask = (
  reader: ChildProcess,
  asked: ReadRequest | 'next',
  { silenceMs, answerMs }: ReaderLimits,
  signal: AbortSignal,
): Promise<Exclude<ReaderMessage, { type: 'progress' }>> =>
  new Promise((resolve, reject) => {
    const settle = (work: () => void): void => {
      clearTimeout(silence);
      clearTimeout(deadline);
      reader.off('message', onMessage).off('exit', onExit).off('error', onError);
      signal.removeEventListener('abort', onAbort);
      work();
    };
    const give = (error: Error) => (): void => settle(() => reject(error));
    const onMessage = (message: ReaderMessage): void =>
      message.type === 'progress' ? void silence.refresh() : settle(() => resolve(message));
    const onExit = (code: number | null, name: string | null): void =>
      give(new ReaderEnded(`the reader ${endOf(code, name)}`))();
    const onError = (cause: Error): void => give(new ReaderEnded('the reader cannot be reached', { cause }))();
    const onAbort = (): void => give(signal.reason as Error)();
    const silence = setTimeout(give(new ReaderEnded('the reader stood still')), silenceMs);
    const deadline = setTimeout(give(new ReaderEnded('the reader took too long')), answerMs);
    signal.addEventListener('abort', onAbort);
    reader.on('message', onMessage).on('exit', onExit).on('error', onError);
    if (signal.aborted) return onAbort();
    reader.send(asked, (error) => error !== null && onError(error));
  });

/** A fault of the file system is known by its code; any other is ours. */
const faultOf = ({ message, code }: Extract<ReaderMessage, { type: 'fault' }>): Error =>
  code === null
    ? new Error(`the reader failed: ${message}`)
    : Object.assign(new Error(message), { code, syscall: 'read' });

/** A process that reads the files of one sync, one after the other. */
export type FileReader = Readonly<{
  /** Throws `ReaderEnded` when it takes more than the limits allow; the next file has another process. */
  read(request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadReply>;
  /** Its memory goes with it. */
  close(): void;
}>;

/** Nothing is started before there is a file to read. */
export const fileReader = (limits: ReaderLimits): FileReader => {
  let reader: ChildProcess | null = null;
  const close = (): void => {
    reader?.kill('SIGKILL');
    reader = null;
  };
  async function* replies(request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadReply> {
    reader ??= startReader(limits);
    for (let asked: ReadRequest | 'next' = request; ; asked = 'next') {
      const message = await ask(reader, asked, limits, signal);
      if (message.type === 'end') return;
      if (message.type === 'fault') throw faultOf(message);
      yield message;
    }
  }
  return {
    async *read(request, signal) {
      try {
        yield* replies(request, signal);
      } catch (error) {
        close();
        throw error;
      }
    },
    close,
  };
};
