import { createInterface } from 'node:readline/promises';

/** Without a terminal, a line as often as this. */
const lineEveryMs = 5000;
let shownAt = -Infinity;

/** Beside the answer, so that it can be piped; on a terminal, one line that is rewritten in place. */
export const showProgress = (line: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${line}`);
  else if (performance.now() - shownAt >= lineEveryMs) {
    shownAt = performance.now();
    process.stderr.write(`${line}\n`);
  }
};

export const endProgress = (line: string): void => {
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[2K${line}\n` : `${line}\n`);
};

/** Somebody is there who can be asked. */
export const isAttended = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

export const answered = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
};

export const isAgreed = async (question: string): Promise<boolean> => /^y(es)?$/i.test(await answered(question));
