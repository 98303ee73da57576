import type { Random } from '@causeway/testing';
import { gunzipSync, gzipSync } from 'node:zlib';

/** What readers of BAI2 and of camt look for, and what they do not expect. */
const tokens: readonly Buffer[] = [
  ...[',', '/', '\n', '\r\n', '\r', ' ', '\0', '\u001a', '88,', '16,', '03,', '49,', '98,', '99,', '02,', '01,'],
  ...[
    '16,475,100,,,,x/\n',
    '03,1,USD,/\n',
    ',D,999,',
    ',V,999999,',
    '-',
    '+',
    '.',
    '\u{1f3e6}',
    '\ud800',
    'JPY',
    'KWD',
  ],
  ...['<', '>', '&', '"', '/>', '</', '<!--', '-->', '<![CDATA[', ']]>', '<?x ', '?>', '&#0;', '&amp;', '<!DOCTYPE x>'],
  ...[
    '<Ntry>',
    '</Ntry>',
    '<Stmt>',
    '</Stmt>',
    '<TxDtls>',
    '</TxDtls>',
    '<Bal>',
    '<Acct>',
    '</Acct>',
    '<Amt Ccy="EUR">',
  ],
  ...['constructor', '__proto__', '9'.repeat(21), '0'.repeat(40), '2026-02-30', '000000', 'NONREF', ' a="1"'],
].map((text) => Buffer.from(text));
const bytes = [Buffer.from([0x80]), Buffer.from([0xff, 0xfe]), Buffer.from([0xc3]), gzipSync('')];

/** How long a repeated piece may become, so that what is not linear shows. */
const repeatedBytesMax = 128 * 1024;

type Mutation = (file: Buffer, random: Random, other: Buffer) => Buffer;

const at = (file: Buffer, from: number, to: number, piece: Buffer): Buffer =>
  Buffer.concat([file.subarray(0, from), piece, file.subarray(to)]);

const pieceOf = (file: Buffer, random: Random, bytesMax: number): Buffer => {
  const from = random.below(file.length + 1);
  return file.subarray(from, from + 1 + random.below(bytesMax));
};

const tokenOf = (random: Random): Buffer => random.pick([...tokens, ...bytes]);

const mutations: readonly Mutation[] = [
  (file, random) => {
    const copy = Buffer.from(file);
    if (copy.length > 0) copy[random.below(copy.length)] = random.below(256);
    return copy;
  },
  (file, random) => {
    const from = random.below(file.length + 1);
    return at(file, from, from + random.below(random.chance(0.5) ? 8 : 512), Buffer.alloc(0));
  },
  (file, random) => {
    const from = random.below(file.length + 1);
    return at(file, from, from + random.below(8), tokenOf(random));
  },
  (file, random) => {
    const from = random.below(file.length + 1);
    return at(file, from, from, pieceOf(file, random, 512));
  },
  (file, random) => {
    const from = random.below(file.length + 1);
    const piece = random.chance(0.5) ? tokenOf(random) : pieceOf(file, random, 256);
    const times = 1 + random.below(Math.ceil(repeatedBytesMax / Math.max(1, piece.length)));
    return at(file, from, from, Buffer.concat(Array.from({ length: times }, () => piece)));
  },
  (file, random, other) => {
    const from = random.below(file.length + 1);
    return at(file, from, random.chance(0.5) ? file.length : from, other.subarray(random.below(other.length + 1)));
  },
  (file, random) => file.subarray(0, random.below(file.length + 1)),
];

/** Files of this size are cut before they are mutated: fuzzing lives on numbers. */
const sourceBytesMax = 64 * 1024;

const plain = (file: Buffer): Buffer => (file[0] === 0x1f ? gunzipSync(file) : file).subarray(0, sourceBytesMax);

/** One of the files, changed in a few places. */
export const mutated = (random: Random, files: readonly Buffer[]): Buffer => {
  let file = plain(random.pick(files));
  for (let left = 1 + random.below(4); left > 0; left--)
    file = random.pick(mutations)(file, random, plain(random.pick(files)));
  return random.chance(0.05) ? gzipSync(file) : file;
};
