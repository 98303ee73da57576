import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** The first byte of what was packed. JSON as it came stays JSON. */
const asItCame = Buffer.from(' ');
const compressed = Buffer.of(1);

/** Less gains nothing worth the 10 µs. */
const worthBytes = 1024;
/** An append holds some 11 MB at most: sixteen parts of a statement, in base64. */
const unpackedMaxBytes = 64 * 1024 * 1024;

/**
 * Quality 1: events of transactions come out at 0.11 of their size in 1 µs a transaction; deflate took twice as long for
 * 0.13. What is random but written in base64 comes out at 0.75.
 */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** To be done before encryption: nothing can be compressed after it. */
export const pack = async (plain: Buffer): Promise<Buffer> => {
  const smaller = plain.length < worthBytes ? plain : await compress(plain, options);
  return smaller.length < plain.length ? Buffer.concat([compressed, smaller]) : Buffer.concat([asItCame, plain]);
};

export const unpack = async (packed: Buffer): Promise<Buffer> => {
  const body = packed.subarray(1);
  if (packed[0] === asItCame[0]) return body;
  if (packed[0] !== compressed[0]) throw new Error('neither packed nor as it came');
  return decompress(body, { maxOutputLength: unpackedMaxBytes });
};
