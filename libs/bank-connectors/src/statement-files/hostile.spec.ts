import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readerLimits } from './file-reader.ts';
import { FileGone, openFile } from './open-file.ts';
import { testInbox, type TestInbox } from './testing/inbox.ts';

const good = 'synth-overlap-1-intraday.bai2';
const day = (): string => new Date().toISOString().slice(2, 10).replaceAll('-', '');

/** A report of today, with what `sections` say between its group's records. */
const bai2 = (...sections: readonly string[]): string =>
  [
    `01,091000019,KESTREL01,${day()},0615,1,,,2/`,
    `02,KESTREL01,091000019,1,${day()},2400,USD,2/`,
    ...sections,
    '98,0,1,0/',
    '99,0,1,0/',
  ].join('\n');
const rows = (count: number, text = 'x'): readonly string[] =>
  Array.from({ length: count }, (_, row) => `16,475,100,,REF${row},,${text}/`);
const section = (account: number, ...its: readonly string[]): readonly string[] => [
  `03,${account},USD,/`,
  ...its,
  '49,0,0/',
];

let inbox: TestInbox;
beforeEach(() => (inbox = testInbox()));
afterEach(() => inbox.remove());

const reasonOf = (name: string): unknown =>
  JSON.parse(readFileSync(join(inbox.folder('rejected'), `${name}.error.json`), 'utf8'));

describe('a file that ends its reader', () => {
  test.each([
    ['takes too long', { answerMs: 30 }, /took too long/],
    ['fills the memory', { heapMegabytes: 16 }, /ran out of memory/],
  ])('twice, since it %s, is rejected with the reason, and those beside it are read', async (_, limits, reason) => {
    inbox.remove();
    inbox = testInbox({ limits: { ...readerLimits, ...limits } });
    const sections = Array.from({ length: 30_000 }, () => section(1, '16,475,100,,,,x/')).flat();
    inbox.drop('a-heavy', bai2(...sections));
    if (!('answerMs' in limits)) inbox.dropFixture(good, 'b-good');
    const { session, accounts } = await inbox.fetch();
    await session.settle();
    expect(reasonOf('a-heavy')).toEqual({ file: 'a-heavy', reason: expect.stringMatching(reason) as string });
    expect(accounts).toHaveLength('answerMs' in limits ? 0 : 1);
    expect(inbox.list('inbox')).toEqual([]);
  });
});

describe('what a file costs', () => {
  test('50,000 sections of one account cost this process next to nothing', async () => {
    inbox.drop('sections', bai2(...Array.from({ length: 50_000 }, () => '03,1,USD,010,0,,,015,0/')));
    const before = process.cpuUsage();
    const { pages } = await inbox.fetch();
    const { user, system } = process.cpuUsage(before);
    expect(pages.map(({ rows: { length } }) => length)).toEqual([0]);
    expect((user + system) / 1000).toBeLessThan(800);
  });

  test('rows of one account in one day are bounded', async () => {
    inbox.drop('rows', bai2(...section(1, ...rows(50_001))));
    inbox.drop('bytes', bai2(...section(1, ...rows(400, 'y'.repeat(50_000)))));
    inbox.drop('fits', bai2(...section(1, ...rows(50_000))));
    const { pages } = await inbox.fetch();
    expect(pages.map(({ rows: { length } }) => length)).toEqual([50_000]);
    expect(reasonOf('rows')).toMatchObject({ reason: 'more than 50000 entries of an account in one day' });
    expect(reasonOf('bytes')).toMatchObject({ reason: 'more than 16777216 bytes of an account in one day' });
  });

  test('rows of accounts that are mixed all come, however many accounts are open at once', async () => {
    const large = 'z'.repeat(40_000);
    const round = (text: string) => [1, 2, 3, 4].flatMap((account) => section(account, ...rows(120, text)));
    inbox.drop('mixed', bai2(...round(large), ...round(large), ...round('last')));
    const { pages, raw } = await inbox.fetch();
    expect(raw.map(({ accountKey }) => accountKey).sort()).toEqual(
      [1, 2, 3, 4].map((account) => `091000019|${account}|USD`),
    );
    expect(pages.map(({ rows: { length } }) => length)).toEqual([360, 360, 360, 360]);
  });

  test('a sparse file of a terabyte is read no further than a file may be long', async () => {
    inbox.drop('sparse', `01,091000019,KESTREL01,${day()},0615,1,,,2/\n`);
    truncateSync(join(inbox.folder('inbox'), 'sparse'), 1024 ** 4);
    await inbox.fetch();
    expect(reasonOf('sparse')).toMatchObject({ reason: 'a line is longer than 1048576 bytes' });
  });
});

describe('a name', () => {
  test.each([
    ['of 246 bytes', 'n'.repeat(246), 'n'.repeat(244)],
    ['of 255 bytes', `${'n'.repeat(250)}.bai2`, `${'n'.repeat(239)}.bai2`],
    ['of 254 bytes in two-byte letters', 'ü'.repeat(127), 'ü'.repeat(122)],
    ['with a long ending', `n.${'e'.repeat(250)}`, `n.${'e'.repeat(242)}`],
  ])('%s is cut, so that its reason fits, and holds up no other', async (_, name, cut) => {
    inbox.drop(name, 'odd');
    inbox.dropFixture(good, 'ý-good');
    const { session, accounts } = await inbox.fetch();
    await session.settle();
    expect(accounts).toHaveLength(1);
    expect(inbox.list('inbox')).toEqual([]);
    expect(inbox.list('rejected')).toEqual([cut, `${cut}.error.json`]);
    expect(reasonOf(cut)).toMatchObject({ file: name });
  });

  test('of 255 bytes taken before is cut for its number', async () => {
    const name = `${'n'.repeat(250)}.bai2`;
    for (let time = 1; time <= 2; time++) {
      inbox.dropFixture(good, name);
      await (await inbox.fetch()).session.settle();
    }
    expect(inbox.list('processed')).toEqual([`${'n'.repeat(248)}-2.bai2`, name]);
  });

  test('taken ten thousand times before is found a number for at once', async () => {
    mkdirSync(inbox.folder('processed'));
    for (let number = 2; number <= 10_000; number++)
      writeFileSync(join(inbox.folder('processed'), `one-${number}.bai2`), '');
    writeFileSync(join(inbox.folder('processed'), 'one.bai2'), '');
    inbox.dropFixture(good, 'one.bai2');
    await (await inbox.fetch()).session.settle();
    expect(existsSync(join(inbox.folder('processed'), 'one-10001.bai2'))).toBe(true);
  });
});

describe('a folder', () => {
  test('is made for its owner only', async () => {
    await inbox.connector.prepare({ ...inbox.access, connectionId: 'another' });
    const modeOf = (...path: readonly string[]) => lstatSync(join(inbox.access.fileDropDir, 'another', ...path)).mode;
    expect(['', 'inbox', 'processed', 'rejected'].map((name) => modeOf(name) & 0o777)).toEqual(Array(4).fill(0o700));
  });

  test.each(['processed', 'rejected'])('%s that takes nothing fails no sync', async (name) => {
    writeFileSync(inbox.folder(name), 'no folder');
    for (let sync = 1; sync <= 2; sync++) {
      inbox.drop('a-odd', 'odd');
      inbox.dropFixture(good, 'b-good');
      const { session, accounts } = await inbox.fetch();
      await session.settle();
      expect(accounts).toHaveLength(1);
    }
    expect(inbox.list('inbox')).toEqual([name === 'processed' ? 'b-good' : 'a-odd']);
  });

  test('that is a link is not followed', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'));
    writeFileSync(join(elsewhere, 'theirs'), inbox.fixture(good));
    rmSync(inbox.folder('inbox'), { recursive: true });
    symlinkSync(elsewhere, inbox.folder('inbox'));
    await expect(inbox.fetch()).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(inbox.connector.prepare(inbox.access)).rejects.toMatchObject({ kind: 'unavailable' });
    rmSync(inbox.folder('inbox'));
    for (const name of ['processed', 'rejected']) {
      rmSync(inbox.folder(name), { recursive: true, force: true });
      symlinkSync(elsewhere, inbox.folder(name));
    }
    mkdirSync(inbox.folder('inbox'));
    inbox.drop('a-odd', 'odd');
    inbox.dropFixture(good, 'b-good');
    await (await inbox.fetch()).session.settle();
    expect(inbox.list('inbox')).toEqual(['a-odd', 'b-good']);
    expect(inbox.list('processed')).toEqual(['theirs']);
    rmSync(elsewhere, { recursive: true });
  });

  test('of another connection is not reached by a link put in its place after the look', async () => {
    inbox.dropFixture(good, 'same');
    const path = join(inbox.folder('inbox'), 'same');
    const { ino, size, mtimeMs } = lstatSync(path);
    renameSync(inbox.folder('inbox'), inbox.folder('moved'));
    mkdirSync(inbox.folder('theirs'));
    writeFileSync(join(inbox.folder('theirs'), 'same'), inbox.fixture(good));
    symlinkSync(inbox.folder('theirs'), inbox.folder('inbox'));
    const chunks = openFile({ name: 'same', path, mark: `${ino} ${size} ${mtimeMs}` }, () => undefined);
    await expect(chunks.next()).rejects.toBeInstanceOf(FileGone);
  });

  test('keeps a reason that is a link to elsewhere as it is', async () => {
    const elsewhere = join(inbox.access.fileDropDir, 'precious');
    writeFileSync(elsewhere, 'precious');
    mkdirSync(inbox.folder('rejected'));
    symlinkSync(elsewhere, join(inbox.folder('rejected'), 'odd.error.json'));
    inbox.drop('odd', 'odd');
    await inbox.fetch();
    expect(readFileSync(elsewhere, 'utf8')).toBe('precious');
  });
});
