import { fileFigures, readBankFile } from '@causeway/bank-formats';
import { pagePlanner, type PlannedPage } from './page-plan.ts';

const entry = (date: string): string =>
  `<Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>${date}</Dt></BookgDt></Ntry>`;

const statement = (from: string, to: string, dates: readonly string[]): string =>
  `<Stmt><Id>${from}</Id><FrToDt><FrDtTm>${from}T00:00:00</FrDtTm><ToDtTm>${to}T23:59:59</ToDtTm></FrToDt>` +
  `<Acct><Id><IBAN>DE02</IBAN></Id><Ccy>EUR</Ccy></Acct><Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp>` +
  `<Amt Ccy="EUR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${to}</Dt></Dt></Bal>${dates.map(entry).join('')}</Stmt>`;

const planOf = async (...statements: readonly string[]): Promise<readonly PlannedPage[]> => {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`<Document><BkToCstmrStmt>${statements.join('')}</BkToCstmrStmt></Document>`);
  }
  const fold = fileFigures();
  const planner = pagePlanner();
  for await (const event of readBankFile(bytes())) {
    const index = fold.apply(event);
    const head = fold.figures().statements[index];
    if (event.type === 'entry' && head !== undefined) planner.countRow(head, event, 'camt.053');
  }
  for (const each of fold.figures().statements) planner.addStatement(each, 'camt.053');
  return [...planner.plan().pages.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
};

const pending = (pages: readonly PlannedPage[]): readonly unknown[] =>
  pages.map(({ day, rows, covered }) => [day, rows, covered?.from ?? null, covered?.to ?? null]);

test('the days of a statement without rows belong to the page of the next day that has some', async () => {
  const pages = await planOf(statement('2026-03-01', '2026-03-31', ['2026-03-10', '2026-03-05', '2026-03-10']));
  expect(pending(pages)).toEqual([
    ['2026-03-05', 1, '2026-03-01', '2026-03-05'],
    ['2026-03-10', 2, '2026-03-06', '2026-03-10'],
    ['2026-03-31', 0, '2026-03-11', '2026-03-31'],
  ]);
  expect(pages.map(({ closing }) => closing?.date ?? null)).toEqual([null, null, '2026-03-31']);
});

test('a row dated outside its statement’s days says nothing of that day', async () => {
  const pages = await planOf(statement('2026-03-31', '2026-03-31', ['2026-03-27', '2026-03-31']));
  expect(pending(pages)).toEqual([
    ['2026-03-27', 1, null, null],
    ['2026-03-31', 1, '2026-03-31', '2026-03-31'],
  ]);
});

test('statements that overlap or follow each other cover each day once', async () => {
  const pages = await planOf(
    statement('2026-03-01', '2026-03-03', ['2026-03-02']),
    statement('2026-03-03', '2026-03-05', []),
    statement('2026-03-10', '2026-03-10', []),
  );
  expect(pending(pages)).toEqual([
    ['2026-03-02', 1, '2026-03-01', '2026-03-02'],
    ['2026-03-03', 0, '2026-03-03', '2026-03-03'],
    ['2026-03-05', 0, '2026-03-04', '2026-03-05'],
    ['2026-03-10', 0, '2026-03-10', '2026-03-10'],
  ]);
});
