import { gzipSync } from 'node:zlib';
import { account, fileOf, groupOf, header } from './bai2-file.ts';
import { balance, credit, details, iban, message, posted, statement } from './camt-message.ts';

const kibi = 1024;
const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join('');
const entry = (inside: string): string => `<Ntry>${credit}${posted}${inside}</Ntry>`;
const tag = (attributes: string): string => message({ entries: entry(`<AddtlNtryInf ${attributes}>x</AddtlNtryInf>`) });
const paged = '<Id>S-1</Id>';

/** Files that cost a reader more than their size where it is careless, or that hold more than it may; each with its refusal. */
export const hostileFiles: Readonly<Record<string, () => readonly [file: string | Buffer, refusal: RegExp | null]>> = {
  'a letter and 32 KiB of line ends': () => [`x${'\n'.repeat(32 * kibi)}`, /not a bank file/],
  'a letter and 32 KiB of blanks': () => [`x${' \r\n'.repeat(11 * kibi)}:20:`, /not a bank file/],
  'braces and blanks': () => [`x${`}${' '.repeat(64)}`.repeat(kibi)}`, /not a bank file/],
  'declarations without an encoding': () => [`<?xml ${'encoding \n'.repeat(8 * kibi)}`, /XML is broken/],
  'a tag of 65 attributes': () => [tag(times(65, (i) => `a${i}="1" `)), /more than 64 attributes/],
  'a tag of a million attributes': () => [tag(times(1_000_000, (i) => `a${i}="" `)), /more than 64 attributes/],
  'a tag of 64 KiB in long attributes': () => [
    tag(times(5, (i) => `a${i}="${'x'.repeat(14 * kibi)}" `)),
    /tag is longer/,
  ],
  'a tag of 64 KiB of blanks': () => [tag(`a="1"${' '.repeat(64 * kibi)}`), /(tag|text) is longer/],
  'a name of a megabyte': () => [message({ entries: `<${'n'.repeat(kibi * kibi)}/>` }), /(tag|text) is longer/],
  'a comment of a megabyte': () => [message({ entries: `<!--${'-x'.repeat(512 * kibi)}-->` }), /text is longer/],
  'an entry of very many texts': () => [
    message({ entries: entry(`<AddtlNtryInf>${'<![CDATA[x]]>'.repeat(200_000)}</AddtlNtryInf>`) }),
    /entry is longer/,
  ],
  'an entry of a hundred thousand details': () => [
    message({
      entries: entry(details(...Array.from({ length: 100_000 }, () => '<Refs><EndToEndId>E</EndToEndId></Refs>'))),
    }),
    null,
  ],
  'elements without end': () => [message({ entries: '<a>'.repeat(100_000) }), /nested deeper/],
  'sixty thousand pages of one statement': () => [
    message(
      {},
      ...Array.from({ length: 60_000 }, (_, i) => statement({ before: paged, balances: balance('CLBD', `${i}.00`) })),
    ),
    null,
  ],
  'statements of 64 KiB names': () => [
    message(
      {},
      ...Array.from({ length: 500 }, (_, i) => statement({ before: `<Id>${i}${'n'.repeat(60 * kibi)}</Id>` })),
    ),
    null,
  ],
  'more accounts than a bank has customers': () => [
    [header, groupOf(), times(10_001, (i) => `03,${i},USD,/\n49,0,2/\n`).trimEnd(), '98,0,1,0/', '99,0,1,0/'].join(
      '\n',
    ),
    /more than 10000 accounts/,
  ],
  'fifty thousand sections of one account': () => [
    [
      header,
      groupOf(),
      ...Array.from({ length: 50_000 }, () => account.replace('5550001', '1')),
      '98,0,1,0/',
      '99,0,1,0/',
    ].join('\n'),
    null,
  ],
  'trailers that say a lot': () => [
    [header, groupOf(), account, `49,0,${'9'.repeat(60 * kibi)}/`, '98,0,1,0/', '99,0,1,0/'].join('\n'),
    null,
  ],
  'a detail of 16,000 lines': () => [fileOf(`16,475,100,D,999${'\n88,/'.repeat(16_000)}`), null],
  'a line of slashes': () => [fileOf(`16,475,100,,,,${'/ '.repeat(30 * kibi)}`), null],
  'a megabyte of a character set of its own': () => [
    Buffer.from(fileOf(...Array.from({ length: 100 }, () => `16,475,100,,,,${'\u0080'.repeat(10_000)}/`)), 'latin1'),
    null,
  ],
  'names of what every object has': () => [
    message({
      entries: `<Ntry>${credit}<Sts>constructor</Sts></Ntry>`,
      account: iban.replace('</Acct>', '<Tp><Cd>constructor</Cd></Tp></Acct>'),
    }).replace('<Document>', '<Document><constructor/><toString/>'),
    null,
  ],
  'gzip of more than a file may hold': () => [
    gzipSync(Buffer.concat([Buffer.from(header), Buffer.alloc(256 * kibi * kibi, '\n')])),
    /more than 256 MB/,
  ],
  'gzip of a line': () => [
    gzipSync(Buffer.concat([Buffer.from(header), Buffer.alloc(8 * kibi * kibi, 'x')])),
    /line is longer/,
  ],
};
