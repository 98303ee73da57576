import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { unpackedBytesMax } from './limits.ts';
import { refuse } from './refused.ts';

const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** Puts the first two bytes into one chunk, so that they can be looked at. */
async function* withWholeHead(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | null = new Uint8Array();
  for await (const chunk of chunks) {
    if (head === null) yield chunk;
    else {
      head = Buffer.concat([head, chunk]);
      if (head.length < 2) continue;
      yield head;
      head = null;
    }
  }
  if (head !== null) yield head;
}

async function* startingWith(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

/** zlib's own errors say that the file is broken; any other is a fault of where the bytes come from. */
const isGzipError = (error: unknown): error is { message: string } =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  typeof error.code === 'string' &&
  error.code.startsWith('Z_');

async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const packed = Readable.from(chunks, { objectMode: false });
  const gunzip = packed.pipe(createGunzip());
  packed.once('error', (error) => gunzip.destroy(error));
  let offset = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      offset += chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (!isGzipError(error)) throw error;
    refuse(`the gzip is broken: ${error.message}`, { offset });
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

async function* atMost(chunks: AsyncIterable<Uint8Array>, what: string): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > unpackedBytesMax) refuse(`more than 256 MB${what}`, { offset: unpackedBytesMax });
    yield chunk;
  }
}

/** The bytes a file holds, gzip or not, and no more of them than a statement file may have. */
export async function* unpacked(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // A gzip may be a row of empty ones, without end.
  const source = withWholeHead(atMost(chunks, ''));
  const first = await source.next();
  if (first.done === true) return;
  const whole = startingWith(first.value, source);
  yield* atMost(isGzip(first.value) ? gunzipped(whole) : whole, ' unpacked');
}
