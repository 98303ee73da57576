import { refuse } from './refused.ts';
import { decodeWindows1252 } from './windows-1252.ts';

/** Encodings that occur in bank XML. What is not listed is refused rather than guessed. */
const encodings: Readonly<Record<string, string>> = {
  'UTF-8': 'utf-8',
  UTF8: 'utf-8',
  'US-ASCII': 'utf-8',
  'ISO-8859-1': 'windows-1252',
  LATIN1: 'windows-1252',
  'ISO-8859-15': 'iso-8859-15',
  'WINDOWS-1252': 'windows-1252',
  // UTF-16 shows in the first bytes. A declaration of it that can be read byte by byte outlived a conversion.
  'UTF-16': 'utf-8',
};

const startsWith = (head: Buffer, ...bytes: readonly number[]): boolean =>
  bytes.every((byte, index) => head[index] === byte);

const encodingOf = (head: Buffer): string => {
  if (startsWith(head, 0xfe, 0xff) || startsWith(head, 0, 0x3c)) return 'utf-16be';
  if (startsWith(head, 0xff, 0xfe) || startsWith(head, 0x3c, 0)) return 'utf-16le';
  if (startsWith(head, 0xef, 0xbb, 0xbf)) return 'utf-8';
  const declared =
    /^\s*<\?xml[^>]*?encoding\s*=\s*["']([^"'>]{1,40})["']/.exec(head.toString('latin1'))?.[1] ?? 'UTF-8';
  return encodings[declared.toUpperCase()] ?? refuse(`the encoding ${declared} is not supported`, { offset: 0 });
};

type Decode = (bytes: Uint8Array, stream: boolean) => string;

const decodeAs = (encoding: string): Decode => {
  if (encoding === 'windows-1252') return decodeWindows1252;
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes, stream) => decoder.decode(bytes, { stream });
};

/** XML says itself how it is encoded: by byte order mark, else by declaration, else UTF-8. */
export const xmlDecoder = (head: Buffer) => {
  const encoding = encodingOf(head);
  const decode = decodeAs(encoding);
  let offset = 0;
  const next = (bytes: Uint8Array, stream: boolean): string => {
    try {
      return decode(bytes, stream);
    } catch {
      return refuse(`the bytes are not ${encoding}`, { offset });
    } finally {
      offset += bytes.length;
    }
  };
  return {
    write: (bytes: Uint8Array): string => next(bytes, true),
    end: (): string => next(new Uint8Array(), false),
  };
};
