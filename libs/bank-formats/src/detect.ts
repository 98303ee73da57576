import type { BankFileFormat } from './file-event.ts';

/** The head that is enough to tell formats apart; a file shorter than this is judged whole. */
export const headBytes = 4096;

/** Content decides, never the name. `xml`: which message it is shows in its elements. Null: nothing we know. */
export const detectFormat = (head: Buffer): BankFileFormat | 'xml' | null => {
  // Read as Latin-1 without NULs and byte order marks, ASCII looks the same in every encoding that occurs.
  const text = head
    .subarray(0, headBytes)
    .toString('latin1')
    .replace(/\0|^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/g, '')
    .trimStart();
  if (/^OFXHEADER/i.test(text) || (text.startsWith('<') && /<\?OFX\s|<OFX>/i.test(text))) return 'ofx';
  if (text.startsWith('<')) return 'xml';
  if (/^\d\d,/.test(text)) return 'bai2';
  if (/^101 [\d ]{9}/.test(text)) return 'nacha';
  // Blanks and no line ends: these would be looked through again from each of them.
  if (/(?:^|[\r\n}])[ \t]*:20:|^\{1:F/.test(text)) return /[\r\n]:34F:/.test(text) ? 'mt942' : 'mt940';
  return null;
};
