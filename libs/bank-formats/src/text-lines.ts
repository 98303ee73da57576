import { isUtf8 } from 'node:buffer';
import type { FileParser } from './file-event.ts';
import { lineBytesMax } from './limits.ts';
import { refuse } from './refused.ts';
import { decodeWindows1252 } from './windows-1252.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Banks name no character set: what is not strict UTF-8 is windows-1252. Judged line by line, however the bytes come. */
const decode = (bytes: Buffer): string => (isUtf8(bytes) ? bytes.toString('utf8') : decodeWindows1252(bytes));

/** Where the line ends; the length of `bytes` when it does not. A file may be line ends and nothing else. */
const lineEnd = (bytes: Buffer, from: number): number => {
  let at = from;
  while (at < bytes.length && bytes[at] !== lineFeed && bytes[at] !== carriageReturn) at += 1;
  return at;
};

/** The pieces of the line in hand. */
const lineBuffer = () => {
  let pieces: Buffer[] = [];
  let bytes = 0;
  return {
    bytes: (): number => bytes,
    keep: (piece: Buffer): void => {
      pieces.push(piece);
      bytes += piece.length;
    },
    take: (): Buffer => {
      const [first] = pieces;
      const whole = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
      pieces = [];
      bytes = 0;
      return whole;
    },
  };
};

/** Bytes → the lines that are not empty, ended by LF, CRLF or CR alone; the last one needs no end. They count from 1. */
export const lineReader = (
  onLine: (text: string, line: number) => void,
  onEnd: (lines: number) => void,
): FileParser => {
  const held = lineBuffer();
  let lines = 0;
  let afterReturn = false;

  const keep = (piece: Buffer): void => {
    held.keep(piece);
    if (held.bytes() > lineBytesMax) refuse(`a line is longer than ${lineBytesMax} bytes`, { line: lines + 1 });
  };
  const endLine = (): void => {
    lines += 1;
    if (held.bytes() > 0) onLine(decode(held.take()), lines);
  };
  const write = (chunk: Uint8Array): void => {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    while (start < bytes.length) {
      if (afterReturn && bytes[start] === lineFeed) start += 1;
      afterReturn = false;
      const end = lineEnd(bytes, start);
      // A copy of what is kept beyond this call: the chunk belongs to whoever reads the file.
      if (end === bytes.length) return keep(Buffer.from(bytes.subarray(start)));
      if (end > start) keep(bytes.subarray(start, end));
      endLine();
      afterReturn = bytes[end] === carriageReturn;
      start = end + 1;
    }
  };
  const end = (): void => {
    if (held.bytes() > 0) endLine();
    onEnd(lines);
  };
  return { write, end };
};
