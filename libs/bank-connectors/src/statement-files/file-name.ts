import { lstat } from 'node:fs/promises';
import { join, parse } from 'node:path';

/** What file systems in use hold. */
export const nameBytesMax = 255;
/** A longer one is no ending but part of the name. */
const endingBytesMax = 32;

const isTaken = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Never in the middle of a character. */
const cut = (text: string, bytesMax: number): string => {
  const bytes = Buffer.from(text);
  let end = Math.min(bytes.length, bytesMax);
  while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
};

const numbered = (name: string, number: number, bytesMax: number): string => {
  const { name: stem, ext } = parse(name);
  const [base, ending] = Buffer.byteLength(ext) > endingBytesMax ? [name, ''] : [stem, ext];
  const suffix = `${number === 1 ? '' : `-${number}`}${ending}`;
  return `${cut(base, bytesMax - Buffer.byteLength(suffix))}${suffix}`;
};

/**
 * The name itself, cut where it is too long, or with a number that no file there has: the next one where they are
 * without gaps. Looks at few, however many there are.
 */
export const freeName = async (folder: string, name: string, bytesMax: number): Promise<string> => {
  const named = (number: number): string => numbered(name, number, bytesMax);
  let [taken, free] = [0, 1];
  while (await isTaken(join(folder, named(free)))) [taken, free] = [free, 2 * free];
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (await isTaken(join(folder, named(middle)))) taken = middle;
    else free = middle;
  }
  return named(free);
};
