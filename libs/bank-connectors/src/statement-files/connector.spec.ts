import { gzipSync } from 'node:zlib';
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { partBytesMax, partRowsMax } from '../connector.ts';
import { testInbox, type TestInbox } from './testing/inbox.ts';

let inbox: TestInbox;
beforeEach(() => (inbox = testInbox()));
afterEach(() => inbox.remove());

const bai2 = (...details: readonly string[]): string =>
  [
    '01,091000019,KESTREL01,260401,0615,1,,,2/',
    '02,KESTREL01,091000019,1,260331,2400,USD,2/',
    '03,5550001,USD,/',
    ...details,
    '49,0,0/',
    '98,0,1,0/',
    '99,0,1,0/',
  ].join('\n');

describe('files', () => {
  test('are taken in name order, and moved once they are settled', async () => {
    inbox.dropFixture('synth-overlap-2-final.bai2', 'b');
    inbox.dropFixture('synth-overlap-1-intraday.bai2', 'a');
    const { session, pages } = await inbox.fetch();
    expect(pages.map(({ rows }) => rows.length)).toEqual([3, 5]);
    expect(inbox.list('inbox')).toEqual(['a', 'b']);
    await session.settle();
    expect([inbox.list('inbox'), inbox.list('processed')]).toEqual([[], ['a', 'b']]);
  });

  test('that were fetched and not settled are fetched again, in the same pages', async () => {
    inbox.dropFixture('synth-053-v08-multi.xml');
    const crashed = await inbox.fetch();
    const next = await inbox.fetch();
    expect(next.raw).toEqual(crashed.raw);
    await next.session.settle();
    await crashed.session.settle();
    expect(inbox.list('processed')).toEqual(['synth-053-v08-multi.xml']);
  });

  test('under a name taken before get a number', async () => {
    for (const name of ['one.bai2', 'one.bai2', 'one.bai2']) {
      inbox.dropFixture('synth-overlap-1-intraday.bai2', name);
      await (await inbox.fetch()).session.settle();
    }
    expect(inbox.list('processed')).toEqual(['one-2.bai2', 'one-3.bai2', 'one.bai2']);
  });

  test('of the same bytes have pages of the same range and bytes, whatever their name', async () => {
    inbox.dropFixture('synth-overlap-2-final.bai2', 'first');
    const first = await inbox.fetch();
    await first.session.settle();
    inbox.dropFixture('synth-overlap-2-final.bai2', 'second');
    inbox.dropFixture('synth-overlap-2-final.bai2', 'third');
    expect((await inbox.fetch()).raw).toEqual(first.raw);
  });

  test('still being written wait for the next sync', async () => {
    inbox.remove();
    inbox = testInbox({ standStillMs: 500 });
    inbox.dropFixture('synth-overlap-1-intraday.bai2', 'whole');
    inbox.drop('growing', '01,');
    const writer = setInterval(() => appendFileSync(join(inbox.folder('inbox'), 'growing'), 'x'), 50);
    const { session, accounts } = await inbox.fetch();
    clearInterval(writer);
    await session.settle();
    expect(accounts).toHaveLength(1);
    expect([inbox.list('inbox'), inbox.list('rejected')]).toEqual([['growing'], []]);
  });

  test('replaced between fetch and settle stay in the inbox', async () => {
    inbox.dropFixture('synth-overlap-1-intraday.bai2', 'today');
    const { session } = await inbox.fetch();
    inbox.dropFixture('synth-overlap-2-final.bai2', 'today');
    await session.settle();
    expect([inbox.list('inbox'), inbox.list('processed')]).toEqual([['today'], []]);
  });

  test('that cannot be moved stay, and fail nothing', async () => {
    inbox.dropFixture('synth-overlap-1-intraday.bai2', 'stuck');
    const { session } = await inbox.fetch();
    rmSync(inbox.folder('processed'), { recursive: true });
    writeFileSync(inbox.folder('processed'), 'no folder');
    await session.settle();
    expect(inbox.list('inbox')).toEqual(['stuck']);
  });

  test('are known by what is in them, packed or not', async () => {
    inbox.drop('statement.csv', gzipSync(inbox.fixture('synth-overlap-2-053-v08.xml')));
    const { accounts, pages } = await inbox.fetch();
    expect(accounts.map(({ number }) => number)).toEqual(['DE02120300000000202051']);
    expect(pages[0]?.rows).toHaveLength(4);
  });

  test('that are no plain files, or hidden, are left alone', async () => {
    mkdirSync(join(inbox.folder('inbox'), 'folder'));
    symlinkSync('/etc/hostname', join(inbox.folder('inbox'), 'link'));
    inbox.drop('.upload', 'x');
    const { session, accounts } = await inbox.fetch();
    await session.settle();
    expect(accounts).toEqual([]);
    expect([inbox.list('inbox'), inbox.list('rejected')]).toEqual([['.upload', 'folder', 'link'], []]);
  });

  test('out of reach make the bank unavailable', async () => {
    const blocked = join(inbox.folder('inbox'), 'no-folder');
    writeFileSync(blocked, '');
    const session = inbox.connector.open({ ...inbox.access, fileDropDir: blocked });
    const first = session.fetch(new AbortController().signal)[Symbol.asyncIterator]().next();
    await expect(first).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('a refused file', () => {
  const errorOf = (name: string): unknown =>
    JSON.parse(readFileSync(join(inbox.folder('rejected'), `${name}.error.json`), 'utf8'));

  test('emits nothing, goes to rejected with the place where it broke, and holds up no other', async () => {
    inbox.dropFixture('synth-truncated.bai2', 'a-cut-off');
    inbox.dropFixture('synth-053-hostile-doctype.xml', 'b-hostile');
    inbox.dropFixture('synth-overlap-1-intraday.bai2', 'c-good');
    const { session, accounts, pages } = await inbox.fetch();
    await session.settle();
    expect(accounts.map(({ number }) => number)).toEqual(['5550001']);
    expect(pages).toHaveLength(1);
    expect([inbox.list('inbox'), inbox.list('processed')]).toEqual([[], ['c-good']]);
    expect(inbox.list('rejected')).toEqual(['a-cut-off', 'a-cut-off.error.json', 'b-hostile', 'b-hostile.error.json']);
    expect(errorOf('a-cut-off')).toEqual({
      file: 'a-cut-off',
      reason: 'the file ends without its trailer (99)',
      line: 18,
    });
    expect(errorOf('b-hostile')).toEqual({ file: 'b-hostile', reason: 'a DOCTYPE is not allowed', line: 2 });
  });

  test('under a name taken before gets a number, and so does its reason', async () => {
    for (const content of ['first', 'second']) {
      inbox.drop('odd.txt', content);
      await inbox.fetch();
    }
    expect(inbox.list('rejected')).toEqual(['odd-2.txt', 'odd-2.txt.error.json', 'odd.txt', 'odd.txt.error.json']);
    expect(errorOf('odd-2.txt')).toMatchObject({ file: 'odd.txt', offset: 0 });
  });
});

describe('accounts', () => {
  test('are one for each currency of a number, with their latest balances', async () => {
    inbox.dropFixture('synth-multicurrency-intraday.bai2');
    const { accounts } = await inbox.fetch();
    expect(accounts.map(({ key }) => key)).toEqual([
      '091000019|00123456789|USD',
      '091000019|JPY-88001|JPY',
      '091000019|KWD-88002|KWD',
    ]);
    expect(accounts[0]).toEqual({
      key: '091000019|00123456789|USD',
      number: '00123456789',
      type: 'unknown',
      currency: 'USD',
      name: 'Account ••••6789',
      officialName: null,
      status: 'open',
      routingNumber: '091000019',
      swiftBic: null,
      currentBalance: '-185704.70',
      availableBalance: '-186506.70',
      balanceAsOf: '2026-04-01T06:00:00.000Z',
    });
    expect(accounts[1]).toMatchObject({ currentBalance: '4749999', balanceAsOf: '2026-03-31T23:59:59.999Z' });
  });

  test('of groups marked deleted or test, and of notifications, are not there', async () => {
    inbox.drop('deleted', bai2('16,195,100,,A1,,/').replace(',1,260331', ',2,260331'));
    inbox.drop('test', bai2('16,195,100,,A1,,/').replace(',1,260331', ',4,260331'));
    const camt = inbox.fixture('synth-overlap-2-053-v08.xml').toString('utf8');
    inbox.drop(
      'notification',
      camt.replaceAll('BkToCstmrStmt', 'BkToCstmrDbtCdtNtfctn').replaceAll('Stmt>', 'Ntfctn>'),
    );
    const { session, accounts, raw } = await inbox.fetch();
    await session.settle();
    expect([accounts, raw]).toEqual([[], []]);
    expect(inbox.list('processed')).toEqual(['deleted', 'notification', 'test']);
  });
});

const badAnswer = expect.objectContaining({ kind: 'bad_answer' }) as Error;

describe('pages', () => {
  test('of any size come in parts that fit', async () => {
    const texts = Array.from({ length: 1200 }, (_, index) => `16,195,${index + 1},,REF${index},,${'ü'.repeat(400)}/`);
    inbox.drop('large', bai2(...texts));
    const { raw, pages } = await inbox.fetch();
    expect(raw).toHaveLength(1);
    const parts = raw[0]!.parts;
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(partBytesMax);
    expect(parts.map((part) => inbox.connector.map(part).rows.length).reduce((a, b) => a + b)).toBe(1200);
    expect(Math.max(...parts.map((part) => inbox.connector.map(part).rows.length))).toBeLessThanOrEqual(partRowsMax);
    expect(pages[0]?.rows.map(({ bankId }) => bankId)).toEqual(texts.map((_, index) => `REF${index}`));
  });

  test('hold all rows of an account’s day, so that equal rows are counted together', async () => {
    const section = ['03,5550001,USD,/', '16,455,4999,,,,SUBSCRIPTION/', '49,0,0/'];
    inbox.drop(
      'sections',
      bai2('16,455,4999,,,,SUBSCRIPTION/', '49,0,0/', '03,9,USD,/', '49,0,0/', ...section.slice(0, 2)),
    );
    const { raw, pages } = await inbox.fetch();
    const name = expect.stringMatching(/^file:[0-9a-f]{64}$/) as string;
    expect(raw.map(({ accountKey, range }) => [accountKey, range])).toEqual([
      ['091000019|5550001|USD', { name }],
      ['091000019|9|USD', { name }],
    ]);
    expect(raw[0]?.range).not.toEqual(raw[1]?.range);
    expect(pages.map(({ rows }) => rows.length)).toEqual([2, 0]);
  });

  test('that no bank wrote are refused', () => {
    const part = {
      format: 'bai2',
      currency: 'USD',
      day: '2026-03-31',
      pending: false,
      coverage: {},
      closingBalances: [],
    };
    const read = (records: unknown) => () => inbox.connector.map(Buffer.from(JSON.stringify({ ...part, records })));
    expect(read(['16,195,100,,A1,,/'])().rows).toHaveLength(1);
    expect(read(['16,195,x,,A1,,/'])).toThrow(badAnswer);
    expect(read(['16,195,100,,A1,,/', 7])).toThrow(badAnswer);
    expect(read(['<Ntry>'])).toThrow(badAnswer);
    expect(() =>
      inbox.connector.map(Buffer.from(JSON.stringify({ ...part, format: 'camt.053', records: ['<Ntry>'] }))),
    ).toThrow(badAnswer);
  });
});
