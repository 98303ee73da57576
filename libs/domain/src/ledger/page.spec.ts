import { faultOfPage } from './page.ts';
import type { StatementPage } from './statement.ts';
import { allPending, booksOf, pending, posted } from './testing/rows.ts';

const day = '2024-02-29';
const books = (...rows: StatementPage['rows']): StatementPage => booksOf(day, day, rows);

test.each<readonly [string, StatementPage]>([
  ['rows with and without ids', books(posted({ day, bankId: 'A' }), posted({ day }))],
  ['a pending row, which has no posted date', allPending([pending({ day })])],
  ['a page of nothing', books()],
  ['the most that an account may hold', books(posted({ day, amount: `-00${'9'.repeat(20)}.99` }))],
  ['rows of fifteen years ago and of the next', booksOf('2009-03-01', '2025-04-04', [posted({ day: '2025-04-04' })])],
])('%s can be booked', (_, page) => {
  expect(faultOfPage(page, day)).toBeUndefined();
});

test.each<readonly [string, StatementPage, RegExp]>([
  [
    'an amount in another notation',
    books(posted({ day }), posted({ day, amount: '1,50' })),
    /^row 2: the amount is not a decimal$/,
  ],
  ['a leap day of a year that has none', books(posted({ day: '2023-02-29' })), /^row 1: the day is none$/],
  ['a thirteenth month', books(posted({ day: '2023-13-01' })), /the day is none/],
  ['a time in place of a day', books(posted({ day: '2023-01-01T00:00' })), /the day is none/],
  ['an impossible value date', books(posted({ day, valueDate: '2024-04-31' })), /the value date is no day/],
  ['an empty id', books(posted({ day, bankId: '' })), /empty or too long/],
  ['an id that no index holds', books(posted({ day, bankId: 'x'.repeat(501) })), /empty or too long/],
  ['a zero character in a text', books(posted({ day, rawDescription: 'a\u0000' })), /zero character/],
  ['a posted row without its date', books({ ...pending({ day }), status: 'posted' }), /posted date/],
  ['days that end before they begin', booksOf('2024-03-02', '2024-03-01', []), /impossible days/],
  ['an amount of 21 digits', books(posted({ day, amount: '1'.repeat(21) })), /row 1: an amount of more than 20/],
  ['a row of long ago', books(posted({ day: '2009-02-28' })), /row 1: a day is not from 2009-02-29/],
  ['a row of another age', books(posted({ day: '2062-01-01' })), /row 1: a day is not from/],
  ['a value date of another age', books(posted({ day, valueDate: '1970-01-01' })), /row 1: a day is not from/],
  [
    'a balance of another age',
    { ...books(), closingBalances: [{ date: '1970-01-01', amount: '1' }] },
    /closing balance: a day is not from/,
  ],
  ['days of all ages', booksOf('1900-01-01', day, []), /the days of the page: a day is not from/],
  ['a balance of no day', { ...books(), closingBalances: [{ date: '0', amount: '1' }] }, /closing balance: not a day/],
])('%s refuses the page', (_, page, fault) => {
  expect(faultOfPage(page, day)).toMatch(fault);
});
