import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testInbox } from './testing/inbox.ts';

const bai2 = ({ day = '260331', balance = '100000', row = '16,475,100,,,,ODD/' }): string =>
  [
    `01,091000019,KESTREL01,${day},0615,1,,,2/`,
    `02,KESTREL01,091000019,1,${day},2400,USD,2/`,
    `03,5550001,USD,${balance === '' ? '' : `015,${balance},,`}/`,
    ...[row, '49,0,0/', '98,0,1,0/', '99,0,1,0/'],
  ].join('\n');

test.each([
  ['a row of another age', bai2({ day: '620101' }), /^a day is not from/],
  ['a balance of another age', bai2({ day: '750101', row: '88,/' }), /closing balance: a day is not from/],
  ['a report of another age', bai2({ day: '750101', balance: '', row: '88,/' }), /the days of a report: a day is not/],
  ['an amount of 21 integer digits', bai2({ row: `16,475,${'9'.repeat(23)},,,,RICH/` }), /more than 20 integer digits/],
  ['a balance of 21 integer digits', bai2({ balance: '9'.repeat(23) }), /more than 20 integer digits/],
])('a file with %s is refused whole', async (_, text, reason) => {
  const inbox = testInbox();
  inbox.drop('odd', text);
  expect((await inbox.fetch()).raw).toEqual([]);
  const error: unknown = JSON.parse(readFileSync(join(inbox.folder('rejected'), 'odd.error.json'), 'utf8'));
  expect(error).toMatchObject({ file: 'odd', reason: expect.stringMatching(reason) as string });
  inbox.remove();
});

test('one of today with the largest amount there may be is not', async () => {
  const inbox = testInbox();
  inbox.drop('large', bai2({ balance: '9'.repeat(22), row: `16,475,${'9'.repeat(22)},,,,RICH/` }));
  expect((await inbox.fetch()).pages.map(({ rows }) => rows.length)).toEqual([1]);
  inbox.remove();
});
