import { gzipSync } from 'node:zlib';
import { readBankFile } from './read-bank-file.ts';
import { hostileFiles } from './testing/hostile-files.ts';
import { read } from './testing/reading.ts';

/** Of the processor, whatever else wants it. Linear ones take seconds; what is not takes many minutes. */
const cpuMaxMs = 60_000;
const timeoutMs = 600_000;

test.each(Object.keys(hostileFiles))(
  '%s costs no more than its size',
  async (name) => {
    const [file, refusal] = hostileFiles[name]!();
    const began = process.cpuUsage();
    const { refusal: found, anomalies, statements } = await read(file);
    const { user, system } = process.cpuUsage(began);
    expect(found?.reason ?? null).toEqual(refusal === null ? null : expect.stringMatching(refusal));
    expect(Math.max(0, ...anomalies.map(({ length }) => length))).toBeLessThanOrEqual(300);
    expect(JSON.stringify(statements.map(({ id }) => id)).length).toBeLessThan(2_000_000);
    expect((user + system) / 1000).toBeLessThan(cpuMaxMs);
  },
  timeoutMs,
);

test(
  'a gzip of empty gzips is read no further than a file may be long',
  async () => {
    const empties = Buffer.concat(Array.from({ length: 50_000 }, () => gzipSync('')));
    const chunks = Array.from({ length: 1 + Math.ceil((256 * 1024 * 1024) / empties.length) }, () => empties);
    async function* source(): AsyncGenerator<Uint8Array> {
      yield* chunks;
    }
    const events = [];
    for await (const event of readBankFile(source())) events.push(event);
    expect(events).toEqual([{ type: 'refused', refusal: { reason: 'more than 256 MB', offset: 268435456 } }]);
  },
  timeoutMs,
);
