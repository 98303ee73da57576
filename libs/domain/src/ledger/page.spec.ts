import { faultOfPage } from './page.ts';
import type { StatementPage } from './statement.ts';
import { allPending, booksOf, pending, posted } from './testing/rows.ts';

const day = '2024-02-29';
const books = (...rows: StatementPage['rows']): StatementPage => booksOf(day, day, rows);

test.each<readonly [string, StatementPage]>([
  ['rows with and without ids', books(posted({ day, bankId: 'A' }), posted({ day }))],
  ['a pending row, which has no posted date', allPending([pending({ day })])],
  ['a page of nothing', books()],
])('%s can be booked', (_, page) => {
  expect(faultOfPage(page)).toBeUndefined();
});

test.each<readonly [string, StatementPage, RegExp]>([
  ['an amount in another notation', books(posted({ day }), posted({ day, amount: '1,50' })), /^row 2: amount 1,50/],
  ['a leap day of a year that has none', books(posted({ day: '2023-02-29' })), /2023-02-29 is not a day/],
  ['a thirteenth month', books(posted({ day: '2023-13-01' })), /not a day/],
  ['a time in place of a day', books(posted({ day: '2023-01-01T00:00' })), /not a day/],
  ['an impossible value date', books(posted({ day, valueDate: '2024-04-31' })), /2024-04-31/],
  ['an empty id', books(posted({ day, bankId: '' })), /empty or too long/],
  ['an id that no index holds', books(posted({ day, bankId: 'x'.repeat(501) })), /empty or too long/],
  ['a zero character in a text', books(posted({ day, rawDescription: 'a\u0000' })), /zero character/],
  ['a posted row without its date', books({ ...pending({ day }), status: 'posted' }), /posted date/],
  ['days that end before they begin', booksOf('2024-03-02', '2024-03-01', []), /impossible days/],
  ['a balance of no day', { ...books(), closingBalances: [{ date: '0', amount: '1' }] }, /closing balance of 0/],
])('%s refuses the page', (_, page, fault) => {
  expect(faultOfPage(page)).toMatch(fault);
});
