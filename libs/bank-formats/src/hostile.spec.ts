import { gzipSync } from 'node:zlib';
import { readBankFile } from './read-bank-file.ts';
import { hostileFiles } from './testing/hostile-files.ts';
import { read } from './testing/reading.ts';

/** Linear ones take a fraction of it; what is not takes minutes. */
const withinMs = 10_000;

test.each(Object.keys(hostileFiles))('%s costs no more than its size', async (name) => {
  const [file, refusal] = hostileFiles[name]!();
  const began = performance.now();
  const { refusal: found, anomalies, statements } = await read(file);
  const tookMs = performance.now() - began;
  expect(found?.reason ?? null).toEqual(refusal === null ? null : expect.stringMatching(refusal));
  expect(Math.max(0, ...anomalies.map(({ length }) => length))).toBeLessThanOrEqual(300);
  expect(JSON.stringify(statements.map(({ id }) => id)).length).toBeLessThan(2_000_000);
  expect(tookMs).toBeLessThan(withinMs);
});

test('a gzip of empty gzips is read no further than a file may be long', async () => {
  const empties = Buffer.concat(Array.from({ length: 50_000 }, () => gzipSync('')));
  const chunks = Array.from({ length: 1 + Math.ceil((256 * 1024 * 1024) / empties.length) }, () => empties);
  async function* source(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  const events = [];
  for await (const event of readBankFile(source())) events.push(event);
  expect(events).toEqual([{ type: 'refused', refusal: { reason: 'more than 256 MB', offset: 268435456 } }]);
});
