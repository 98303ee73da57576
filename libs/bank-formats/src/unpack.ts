import { once } from 'node:events';
import { createGunzip, type Gunzip } from 'node:zlib';
import { unpackedBytesMax } from './limits.ts';
import { Refused, refuse } from './refused.ts';

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

/** Feeds with back-pressure. A fault of the source must reach whoever reads the unpacked bytes. */
const feed = async (gunzip: Gunzip, chunks: AsyncIterator<Uint8Array>, first: Uint8Array): Promise<void> => {
  let next: IteratorResult<Uint8Array, unknown> = { value: first, done: false };
  while (next.done !== true && !gunzip.destroyed) {
    if (!gunzip.write(next.value)) await Promise.race([once(gunzip, 'drain'), once(gunzip, 'close')]);
    next = await chunks.next();
  }
  gunzip.end();
};

async function* gunzipped(first: Uint8Array, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  let sourceFault: unknown = null;
  let offset = 0;
  const fed = feed(gunzip, chunks, first).catch((error: unknown) => {
    sourceFault = error;
    gunzip.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      offset += chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (sourceFault !== null || !(error instanceof Error)) throw error;
    refuse(`the gzip is broken: ${error.message}`, { offset });
  } finally {
    gunzip.destroy();
    await fed;
  }
}

/** The bytes a file holds, gzip or not, and no more of them than a statement file may have. */
export async function* unpacked(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = withWholeHead(chunks)[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done === true) return;
  const rest = { [Symbol.asyncIterator]: () => source };
  let bytes = 0;
  const check = (chunk: Uint8Array): Uint8Array => {
    bytes += chunk.length;
    if (bytes > unpackedBytesMax) throw new Refused({ reason: 'more than 256 MB unpacked', offset: unpackedBytesMax });
    return chunk;
  };
  if (isGzip(first.value)) {
    for await (const chunk of gunzipped(first.value, source)) yield check(chunk);
    return;
  }
  yield check(first.value);
  for await (const chunk of rest) yield check(chunk);
}
