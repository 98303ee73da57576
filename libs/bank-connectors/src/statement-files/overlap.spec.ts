import type { StatementPage } from '@causeway/domain/ledger';
import { testInbox, type TestInbox } from './testing/inbox.ts';

let inbox: TestInbox;
beforeEach(() => (inbox = testInbox()));
afterEach(() => inbox.remove());

const pagesOf = async (name: string): Promise<readonly StatementPage[]> => {
  inbox.dropFixture(name);
  const { session, pages } = await inbox.fetch();
  await session.settle();
  return pages;
};

const rowsOf = ({ rows }: StatementPage) =>
  rows.map(({ status, bankId, day, content }) => [status, bankId, day, content.amount]);

const day = (date: string) => ({ from: date, to: date });

describe('the BAI2 series', () => {
  test('begins with an intraday report: pending rows, no claims, no closing', async () => {
    const [page, ...more] = await pagesOf('synth-overlap-1-intraday.bai2');
    expect(more).toEqual([]);
    expect(page).toMatchObject({ coverage: { posted: null, pending: null }, closingBalances: [] });
    expect(rowsOf(page!)).toEqual([
      ['pending', null, '2026-03-31', '-49.99'],
      ['pending', null, '2026-03-31', '-49.99'],
      ['pending', 'OV-W1', '2026-03-31', '30000.00'],
    ]);
  });

  test('goes on with the final report, which settles what was pending that day', async () => {
    const [page, ...more] = await pagesOf('synth-overlap-2-final.bai2');
    expect(more).toEqual([]);
    expect(page).toMatchObject({
      coverage: { posted: null, pending: day('2026-03-31') },
      closingBalances: [{ date: '2026-03-31', amount: '119090.85' }],
    });
    expect(rowsOf(page!)).toEqual([
      ['posted', null, '2026-03-31', '-49.99'],
      ['posted', 'OV-W1', '2026-03-31', '30000.00'],
      ['posted', null, '2026-03-31', '-49.99'],
      ['posted', null, '2026-03-31', '-812.50'],
      ['posted', 'OV-I3', '2026-03-31', '3.33'],
    ]);
  });

  test('ends with a correction, which replaces its day, and the next day', async () => {
    const [corrected, next, ...more] = await pagesOf('synth-overlap-3-resent.bai2');
    expect(more).toEqual([]);
    expect(corrected).toMatchObject({ coverage: { posted: day('2026-03-31'), pending: day('2026-03-31') } });
    expect(corrected?.rows).toHaveLength(5);
    expect(next).toMatchObject({
      coverage: { posted: null, pending: day('2026-04-01') },
      closingBalances: [{ date: '2026-04-01', amount: '109090.85' }],
    });
    expect(rowsOf(next!)).toEqual([['posted', 'OV-W4', '2026-04-01', '-10000.00']]);
  });

  test('says the same of equal rows in each of its reports', async () => {
    const fingerprints = async (name: string) =>
      (await pagesOf(name)).flatMap(({ rows }) =>
        rows.map(({ typeCode, valueDate, content }) =>
          JSON.stringify([typeCode, valueDate, content.amount, content.customerReference, content.description]),
        ),
      );
    const intraday = await fingerprints('synth-overlap-1-intraday.bai2');
    const final = await fingerprints('synth-overlap-2-final.bai2');
    const resent = await fingerprints('synth-overlap-3-resent.bai2');
    expect(final).toEqual(expect.arrayContaining(intraday));
    expect(resent.slice(0, 5)).toEqual(final);
    expect(new Set([...intraday, ...final, ...resent]).size).toBe(5);
  });
});

describe('the camt pair', () => {
  test('begins with an intraday report: what is not a movement is not there', async () => {
    const [page, ...more] = await pagesOf('synth-overlap-1-052-v08.xml');
    expect(more).toEqual([]);
    expect(page).toMatchObject({ coverage: { posted: null, pending: null }, closingBalances: [] });
    expect(rowsOf(page!)).toEqual([
      ['pending', 'SVC-P1', '2026-03-31', '700.00'],
      ['pending', 'SVC-P2', '2026-03-31', '-45.00'],
      ['posted', 'SVC-P3', '2026-03-31', '60.00'],
    ]);
  });

  test('ends with the statement, under the same references', async () => {
    const [page, ...more] = await pagesOf('synth-overlap-2-053-v08.xml');
    expect(more).toEqual([]);
    expect(page).toMatchObject({
      coverage: { posted: null, pending: day('2026-03-31') },
      closingBalances: [{ date: '2026-03-31', amount: '813.90' }],
    });
    expect(rowsOf(page!)).toEqual([
      ['posted', 'SVC-P3', '2026-03-31', '60.00'],
      ['posted', 'SVC-P1', '2026-03-31', '700.00'],
      ['posted', 'SVC-P2', '2026-03-31', '-45.10'],
      ['posted', 'SVC-F1', '2026-03-31', '-1.00'],
    ]);
  });
});

test('a correction without rows corrects balances and withdraws nothing', async () => {
  const whole = inbox.fixture('synth-overlap-3-resent.bai2').toString('utf8');
  inbox.drop('balances-only', whole.replaceAll(/^16,.*\n/gm, ''));
  const { pages } = await inbox.fetch();
  expect(pages.map(({ coverage }) => coverage.posted)).toEqual([null, null]);
  expect(pages.map(({ closingBalances }) => closingBalances.length)).toEqual([1, 1]);
});
