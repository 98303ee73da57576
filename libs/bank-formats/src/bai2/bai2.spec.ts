import { account, fileOf, groupOf, header } from '../testing/bai2-file.ts';
import { fixture, read, type ReadFile } from '../testing/reading.ts';

describe('physical records', () => {
  const records = [header, groupOf(), account, '16,195,500,,A1,,IN/', '16,495,500,,A2,,OUT/03,X/', '88,MORE/'];
  const trailers = ['49,201000,5/', '98,201000,1,7/', '99,201000,1,9/'];
  const amounts = ({ entries }: ReadFile) => entries.map(({ content }) => [content.amount, content.description]);
  const expected = [
    ['5.00', 'IN'],
    ['-5.00', 'OUT/03,X MORE'],
  ];

  test.each([
    ['one to a line', [...records, ...trailers].join('\n')],
    ['ended by CRLF', [...records, ...trailers].join('\r\n')],
    ['ended by CR', [...records, ...trailers].join('\r')],
    ['all on one line', [...records, ...trailers].join('')],
    ['padded to 80 on one line', [...records, ...trailers].map((record) => record.padEnd(80)).join('')],
    ['between blank lines', [...records, ...trailers].join('\n\n  \n')],
    ['before an end-of-file mark', `${[...records, ...trailers].join('\n')}\n\u001a`],
  ])('are read %s', async (_, text) => {
    const file = await read(text);
    expect({ anomalies: file.anomalies, refusal: file.refusal }).toEqual({ anomalies: [], refusal: null });
    expect(amounts(file)).toEqual(expected);
  });

  test('that are not UTF-8 are windows-1252', async () => {
    const { entries } = await read(Buffer.from(fileOf('16,195,100,,,,M\u00fcnchen \u0080\u0093/'), 'latin1'));
    expect(entries[0]?.content.description).toBe('München €“');
  });
});

describe('summaries', () => {
  const balancesOf = async (...lines: readonly string[]) => {
    const { statements } = await read([header, groupOf(), ...lines, '49,0,0/', '98,0,1,0/', '99,0,1,0/'].join('\n'));
    const { opening, closing, available, current } = statements[0]!;
    return { opening, closing, available, current };
  };
  const expected = { opening: '1.00', closing: '-2.00', available: '3.00', current: '-2.00' };

  test.each([
    ['in a row', ['03,1,USD,010,100,,,015,-200,,,045,300,,/']],
    ['with the first one left empty', ['03,1,USD,,,,,010,100,,,015,-200,,,045,300,,/']],
    ['with a spare field before the slash', ['03,1,USD,010,100,,,015,-200,,,/', '88,045,300,,,/']],
    ['continued between code and amount', ['03,1,USD,010,100,,,015/', '88,-200,,,045,300,,/']],
    ['with funds of type S', ['03,1,USD,010,100,,S,1,2,3,015,-200,,,045,300,,/']],
    ['with funds of type V', ['03,1,USD,010,100,,V,260401,,015,-200,,,045,300,,/']],
    ['with funds of type D', ['03,1,USD,010,100,,D,2,0,50,1,50,015,-200,,,045,300,,/']],
    ['among totals and floats', ['03,1,USD,072,9,,,100,9,1,,010,100,,,015,-200,,,045,300,,/']],
  ])('are read %s', async (_, lines) => expect(await balancesOf(...lines)).toEqual(expected));

  test('of floats and available money are no closing', async () => {
    expect(await balancesOf('03,1,USD,040,1,,,060,2,,,072,3,,,074,4,,/')).toMatchObject({
      opening: null,
      closing: null,
    });
  });
});

describe('accounts and groups', () => {
  const fileWith = (group: string, ...rest: readonly string[]): string =>
    [header, group, ...rest, '49,0,0/', '98,0,1,0/', '99,0,1,0/'].join('\n');
  const detail = '16,195,1234,,A1,,/';

  test.each([
    ['03,1,JPY,/', 'JPY', '1234'],
    ['03,1,KWD,/', 'KWD', '1.234'],
    ['03,1,,/', 'EUR', '12.34'],
  ])('%s has amounts in minor units of %s', async (line, currency, amount) => {
    const { entries } = await read(fileWith('02,R,O,1,260331,,EUR,2/', line, detail));
    expect(entries[0]?.content).toMatchObject({ currency, amount });
  });

  test('without any currency are in US dollars', async () => {
    const { entries } = await read(fileWith('02,R,O,1,260331,,,2/', '03,1,,/', detail));
    expect(entries[0]?.content.currency).toBe('USD');
  });

  test.each([
    ['1', 'posted', null],
    ['2', 'posted', { from: '2026-03-31', to: '2026-03-31' }],
    ['3', 'pending', null],
    ['4', 'posted', { from: '2026-03-31', to: '2026-03-31' }],
    ['', 'posted', null],
  ])('with as-of modifier %j have %s rows', async (modifier, status, covers) => {
    const { entries, statements } = await read(fileWith(groupOf('1', modifier), account, detail));
    expect(entries[0]).toMatchObject({ status, day: '2026-03-31' });
    expect(statements[0]?.report.covers).toEqual(covers);
    expect(statements[0]?.closings).toEqual(
      covers === null && modifier !== '' ? [] : [{ date: '2026-03-31', amount: '1000.00' }],
    );
  });

  test.each([
    ['1', null, false],
    ['2', 'deleted', false],
    ['3', null, true],
    ['4', 'test', false],
  ])('of status %s are ignored as %j', async (status, ignored, corrects) => {
    const { statements } = await read(fileWith(groupOf(status), account, detail));
    expect(statements[0]).toMatchObject({ transactions: 1, report: { ignored, corrects } });
  });

  test.each([
    ['0615', '2026-03-31T06:15:00.000Z'],
    ['2400', '2026-03-31T23:59:59.999Z'],
    ['9999', '2026-03-31T23:59:59.999Z'],
    ['', '2026-03-31T23:59:59.999Z'],
  ])('reported at %j are of %s', async (time, createdAt) => {
    const { statements } = await read(fileWith(`02,R,O,1,260331,${time},USD,2/`, account, detail));
    expect(statements[0]?.report.createdAt).toBe(createdAt);
  });
});

describe('control figures', () => {
  test('that agree are not worth a word', async () => {
    const { anomalies, refusal } = await read(fixture('synth-multicurrency-intraday.bai2'));
    expect({ anomalies, refusal }).toEqual({ anomalies: [], refusal: null });
  });

  test.each([
    [
      '49,6319900,12/',
      '49,6319901,12/',
      'line 14: the trailer of account 00123456789 says 6319901, its amounts add up to 6319900',
    ],
    [
      '49,6319900,12/',
      '49,6319900,11/',
      'line 14: the trailer of account 00123456789 says 11 records, the file has 12',
    ],
    ['49,6319900,12/', '49,,12/', 'line 14: the trailer of account 00123456789 gives no control total'],
    ['98,20790034,3,21/', '98,20790034,4,21/', 'line 22: the group trailer says 4 sections, the file has 3'],
    ['99,-16341406,2,29/', '99,-16341406,2,30/', 'line 29: the file trailer says 30 records, the file has 29'],
    [
      '015,-18636170,',
      '015,-18636169,',
      'account 00123456789 USD: opening and booked entries make -186361.70, the closing is -186361.69',
    ],
  ])('%s as %s are an anomaly', async (before, after, anomaly) => {
    const text = fixture('synth-multicurrency-intraday.bai2').toString('utf8');
    expect(text).toContain(before);
    const { anomalies, refusal } = await read(text.replace(before, after));
    expect(refusal).toBeNull();
    expect(anomalies).toContain(anomaly);
  });

  test('say when a day does not open as the one before closed', async () => {
    const text = fixture('synth-overlap-3-resent.bai2').toString('utf8').replace('010,11909085', '010,11909086');
    expect((await read(text)).anomalies).toContain(
      'account 5550001 USD: opens with 119090.86, the statement before closes with 119090.85',
    );
  });

  test('of a missing 49 and 98 are an anomaly', async () => {
    const { anomalies, refusal, entries } = await read(
      [header, groupOf(), account, '16,195,1,,,,/', '99,0,1,5/'].join('\n'),
    );
    expect(refusal).toBeNull();
    expect(entries).toHaveLength(1);
    expect(anomalies).toEqual(
      expect.arrayContaining(['line 5: account 5550001 has no trailer (49)', 'line 5: a group has no trailer (98)']),
    );
  });
});

describe('a file that cannot be booked says where it broke', () => {
  const whole = fileOf('16,195,100,,A1,,/');
  test.each([
    ['cut off before its trailer', whole.slice(0, whole.indexOf('99,')), 'the file ends without its trailer (99)', 6],
    ['cut off in its trailer', whole.slice(0, whole.indexOf('99,') + 5), 'the file trailer (99) is cut off', 7],
    ['with an unknown record', whole.replace('49,', '47,'), 'unknown record 47,0,0/', 5],
    ['with a transaction before any account', `${header}\n16,195,1,,,,/`, 'a transaction outside an account', 2],
    ['with an account before any group', `${header}\n${account}`, 'an account outside a group', 2],
    ['with a group before the header', groupOf(), 'a group outside a file', 1],
    ['with a continuation of nothing', '88,TEXT', 'a continuation (88) of nothing', 1],
    [
      'with a day that does not exist',
      whole.replace('260331', '260231'),
      "the group's as-of date 260231 does not exist",
      2,
    ],
    ['with an unknown group status', whole.replace(groupOf(), groupOf('7')), 'unknown group status 7', 2],
    ['with an account without a number', whole.replace('5550001', ''), 'an account has no number that could be one', 3],
    ['with a currency that is none', whole.replace('5550001,USD', '5550001,US1'), 'US1 is not a currency', 3],
    ['with two headers', `${header}\n${header}`, 'a second file header before the trailer of the first', 2],
  ])('%s', async (_, text, reason, line) => {
    expect((await read(text, 'bai2')).refusal).toEqual({ reason, line });
  });

  test('with a line beyond all measure', async () => {
    const { refusal } = await read(fileOf(`16,195,100,,,,${'A'.repeat(1024 * 1024)}`));
    expect(refusal).toEqual({ reason: 'a line is longer than 1048576 bytes', line: 4 });
  });

  test('with a record of endless continuations', async () => {
    const { refusal } = await read(
      fileOf('16,195,100,,,,TEXT', ...Array.from({ length: 1000 }, () => `88,${'A'.repeat(77)}`)),
    );
    expect(refusal?.reason).toBe('a record is longer than 65536 characters');
  });
});
