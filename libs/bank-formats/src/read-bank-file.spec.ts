import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { detectFormat } from './detect.ts';
import type { Entry, EntryContext } from './file-event.ts';
import { readBankFile, readEntryRecord } from './read-bank-file.ts';
import { eventsOf, fixture, read } from './testing/reading.ts';

const files = [
  'synth-multicurrency-intraday.bai2',
  'synth-truncated.bai2',
  'synth-053-v08-multi.xml',
  'synth-053-truncated.xml',
  'synth-053-hostile-doctype.xml',
  'synth-053-utf16.xml',
  'synth-053-latin1.xml',
  'synth-overlap-1-052-v08.xml',
] as const;

const cutAt = (bytes: Buffer, borders: readonly number[]): readonly Buffer[] => {
  const sorted = [0, ...[...borders].sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
};

describe('a file', () => {
  test.each(files)('%s reads the same however its bytes come', async (name) => {
    const bytes = fixture(name);
    const whole = await eventsOf(bytes);
    const border = fc.integer({ min: 0, max: bytes.length });
    const property = fc.asyncProperty(fc.array(border, { maxLength: 40 }), async (borders) => {
      expect(await eventsOf(cutAt(bytes, borders))).toEqual(whole);
    });
    await fc.assert(property, { numRuns: 25, seed: 20260331 });
    expect(await eventsOf(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(whole);
  });

  test.each(files)('%s reads the same from gzip', async (name) => {
    expect(await eventsOf(gzipSync(fixture(name)))).toEqual(await eventsOf(fixture(name)));
  });

  test.each(['synth-multicurrency-intraday.bai2', 'synth-053-v08-multi.xml', 'synth-overlap-1-052-v08.xml'])(
    '%s gives each entry again from its record alone',
    async (name) => {
      const events = await eventsOf(fixture(name));
      let context: EntryContext = { currency: null, day: null, pending: false };
      const again: (Entry | null)[] = [];
      for (const event of events) {
        if (event.type === 'statement') {
          const { account, report } = event.statement;
          context = { currency: account.currency, day: report.day, pending: report.pending };
        }
        if (event.type === 'entry')
          again.push(readEntryRecord(name.endsWith('bai2') ? 'bai2' : 'camt.053', event.record, context).entry);
      }
      expect(again).toEqual(events.flatMap((event) => (event.type === 'entry' ? [event.entry] : [])));
      expect(again.length).toBeGreaterThan(0);
    },
  );

  test('cut off anywhere is refused and says where', async () => {
    const bytes = fixture('synth-multicurrency-intraday.bai2');
    const trailer = bytes.indexOf('99,-16341406,2,29');
    for (let end = 1; end < trailer; end += 7) {
      const { refusal } = await read(bytes.subarray(0, end), 'bai2');
      expect(refusal?.line).toBeGreaterThan(0);
    }
    const xml = fixture('synth-053-v08-multi.xml');
    for (let end = 1; end < xml.length - 12; end += 37) {
      const { refusal } = await read(xml.subarray(0, end), 'camt.053');
      expect(refusal?.line).toBeGreaterThan(0);
    }
  });

  test('whose gzip is cut off is refused and says where', async () => {
    const { refusal } = await read(gzipSync(fixture('synth-053-v08-multi.xml')).subarray(0, 700));
    expect(refusal).toEqual({
      reason: 'the gzip is broken: unexpected end of file',
      offset: expect.any(Number) as number,
    });
  });

  test('that unpacks to more than 256 MB is refused', async () => {
    const header = gzipSync('01,A,B,260401,0615,1,,,2/\n');
    // A gzip may have several members; 257 of these are 257 MB of blanks in 300 kB.
    const megabyte = gzipSync(Buffer.alloc(1024 * 1024, `${' '.repeat(1023)}\n`));
    const bomb = Buffer.concat([header, ...Array.from({ length: 257 }, () => megabyte)]);
    expect((await read(bomb)).refusal).toEqual({ reason: 'more than 256 MB unpacked', offset: 256 * 1024 * 1024 });
  });

  test('that cannot be read from its source is a fault, not a refusal', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield fixture('synth-multicurrency-intraday.bai2').subarray(0, 100);
      throw new Error('the disk is gone');
    }
    const drain = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const event of readBankFile(chunks)) expect(event.type).not.toBe('refused');
    };
    await expect(drain(broken())).rejects.toThrow('the disk is gone');
    async function* brokenGzip(): AsyncGenerator<Uint8Array> {
      yield gzipSync(fixture('synth-053-v08-multi.xml')).subarray(0, 100);
      throw new Error('the disk is gone');
    }
    await expect(drain(brokenGzip())).rejects.toThrow('the disk is gone');
  });
});

describe('a format', () => {
  const swift = '{1:F01BANKDEFF}{2:O940}{4:\r\n:20:X\r\n:25:1\r\n-}';
  test.each([
    ['01,A,B,260401,0615,1,,,2/', 'bai2'],
    ['\r\n\r\n01,A,B', 'bai2'],
    ['<?xml version="1.0"?><Document/>', 'xml'],
    ['\ufeff<Document/>', 'xml'],
    [':20:REF\r\n:25:123\r\n:60F:C260331EUR1,\r\n', 'mt940'],
    [':20:REF\r\n:25:123\r\n:34F:EUR0,\r\n', 'mt942'],
    [swift, 'mt940'],
    ['OFXHEADER:100\r\nDATA:OFXSGML', 'ofx'],
    ['<?xml version="1.0"?>\n<?OFX OFXHEADER="200"?>', 'ofx'],
    ['<OFX><SIGNONMSGSRSV1>', 'ofx'],
    ['<?xml version="1.0"?>\n<!-- an example -->\n<?OFX OFXHEADER="200"?>', 'ofx'],
    ['101 091000019 091000019', 'nacha'],
    ['Date;Amount\n', null],
  ])('of %j is %s by its content', (text, format) => expect(detectFormat(Buffer.from(text))).toBe(format));

  test.each([
    [':20:REF\r\n:25:123\r\n', { reason: 'format mt940 is not supported', offset: 0 }],
    ['Date;Amount\n', { reason: 'not a bank file of a known format', offset: 0 }],
    ['', { reason: 'the file is empty', offset: 0 }],
  ])('of %j is refused', async (text, refusal) => expect((await read(text)).refusal).toEqual(refusal));

  test('can be named where the content does not say it', async () => {
    const { format, refusal } = await read('Date;Amount\n', 'bai2');
    expect([format, refusal]).toEqual(['bai2', { reason: 'unknown record Date;Amount', line: 1 }]);
  });
});
