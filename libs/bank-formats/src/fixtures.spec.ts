import { compare } from '@causeway/money';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBankFile } from './read-bank-file.ts';
import { fileFigures, type FileFigures } from './statements.ts';

/** Public bank files with figures that others computed. They stand beside the project and are not part of it. */
const fixtures = join(import.meta.dirname, '../../../../shared/fixtures/bank-files');
const isThere = existsSync(fixtures);

type ExpectedStatement = Readonly<{
  account: string;
  currency: string | null;
  date: string | null;
  opening: string | null;
  closing: string | null;
  closingAvailable: string | null;
  transactions: number;
  sum: string;
}>;
type Expected = Readonly<{
  suggestedOutcome: 'ok' | 'warn' | 'empty' | 'reject';
  statements: number;
  transactions: number;
  message?: string;
  perStatement?: readonly ExpectedStatement[];
}>;

const expectedFiles = (): readonly (readonly [string, Expected])[] => {
  if (!isThere) return [];
  const { files } = JSON.parse(readFileSync(join(fixtures, 'expected.json'), 'utf8')) as {
    files: Record<string, Expected>;
  };
  return Object.entries(files).filter(([name]) => /^(bai2|camt)\//.test(name));
};

const read = async (path: string): Promise<FileFigures> => {
  const fold = fileFigures();
  for await (const event of readBankFile(createReadStream(path))) fold.apply(event);
  return fold.figures();
};

const outcomes = { ok: 'ok', empty: 'ok', warn: 'anomalies', reject: 'refused' } as const;
const outcomeOf = ({ refusal, anomalies }: FileFigures): string =>
  refusal !== null ? 'refused' : anomalies.length > 0 ? 'anomalies' : 'ok';

const sameAmount = (left: string | null, right: string | null): boolean =>
  left === null || right === null ? left === right : compare(left, right) === 0;

if (!isThere) console.warn(`skipped: no bank files at ${fixtures}`);

(isThere ? describe : describe.skip)('every public BAI2 and camt file', () => {
  test.each(expectedFiles())('%s has its expected outcome and figures', async (name, expected) => {
    const figures = await read(join(fixtures, name));
    const told = { ...figures, anomalies: figures.anomalies.slice(0, 3) };
    expect({ outcome: outcomeOf(figures), told }).toMatchObject({ outcome: outcomes[expected.suggestedOutcome] });
    if (expected.suggestedOutcome === 'reject') {
      expect(figures.refusal?.line).toBeGreaterThan(0);
      return;
    }
    expect(figures.format).toBe(expected.message?.slice(0, 8) ?? 'bai2');
    expect(figures.statements).toHaveLength(expected.statements);
    expect(figures.statements.reduce((sum, { transactions }) => sum + transactions, 0)).toBe(expected.transactions);
    for (const [index, statement] of (expected.perStatement ?? []).entries()) {
      const { account, date, opening, closing, available, transactions, sum } = figures.statements[index]!;
      expect({ number: account.number, currency: account.currency, date, transactions }).toEqual({
        number: statement.account,
        currency: statement.currency,
        date: statement.date,
        transactions: statement.transactions,
      });
      expect({ sum, same: sameAmount(sum, statement.sum) }).toEqual({ sum, same: true });
      expect({ opening, same: sameAmount(opening, statement.opening) }).toEqual({ opening, same: true });
      expect({ closing, same: sameAmount(closing, statement.closing) }).toEqual({ closing, same: true });
      expect({ available, same: sameAmount(available, statement.closingAvailable) }).toEqual({ available, same: true });
    }
  });
});
