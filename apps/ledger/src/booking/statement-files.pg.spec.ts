import { connectors } from '@causeway/bank-connectors';
import { wholePage } from '@causeway/domain/ledger';
import { describeWithPostgres } from '@causeway/testing';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bookPage } from './book-page.ts';
import { connectionId, testLedger, toBook, type TestLedger } from '../../testing/ledger.ts';

/** Read where they are; without them there is nothing to compare with. */
const fixtures = join(import.meta.dirname, '../../../../../../shared/fixtures/bank-files');
const isThere = existsSync(fixtures);
if (!isThere) console.warn(`skipped: no bank files at ${fixtures}`);

const bai2 = [
  'bai2/synth-overlap-1-intraday.bai2',
  'bai2/synth-overlap-2-final.bai2',
  'bai2/synth-overlap-3-resent.bai2',
];
const camt = ['camt/synth-overlap-1-052-v08.xml', 'camt/synth-overlap-2-053-v08.xml'];

(isThere ? describeWithPostgres : describe.skip)('statement files that overlap', () => {
  let ledger: TestLedger;
  let fileDropDir: string;
  beforeEach(async () => {
    ledger = await testLedger();
    fileDropDir = mkdtempSync(join(tmpdir(), 'file-drop-'));
  });
  afterEach(async () => {
    rmSync(fileDropDir, { recursive: true, force: true });
    await ledger.drop();
  });

  const take = async (file: string): Promise<void> => {
    const inbox = join(fileDropDir, connectionId, 'inbox');
    mkdirSync(inbox, { recursive: true });
    copyFileSync(join(fixtures, file), join(inbox, 'statement'));
    const connector = connectors['statement-files']!;
    const access = { connectionId, institutionId: 'sandbox-files', baseUrl: '', fileDropDir };
    const session = connector.open(access);
    for await (const fetched of session.fetch(new AbortController().signal)) {
      if (fetched.type === 'page')
        await bookPage(ledger, toBook(wholePage(fetched.page.parts.map((part) => connector.map(part)))));
    }
    await connector.settle(access, session.lent());
  };

  /** Rows as a client counts them: pending ones too, cancelled ones not. */
  const rowsAfter = async (file: string): Promise<number> => {
    await take(file);
    const { rows } = await ledger.admin.query<{ status: string }>(
      `SELECT status FROM ledger.identity WHERE status IN ('pending', 'posted')`,
    );
    return rows.length;
  };
  const idsInOrder = async (): Promise<object[]> =>
    (await ledger.admin.query<object>('SELECT transaction_id FROM ledger.identity ORDER BY 1')).rows;

  test('the BAI2 series gives 3, 5 and 6 rows, and a pending one that posts keeps its id', async () => {
    expect(await rowsAfter(bai2[0]!)).toBe(3);
    const pending = await idsInOrder();
    expect(await rowsAfter(bai2[1]!)).toBe(5);
    expect(await idsInOrder()).toEqual(expect.arrayContaining(pending));
    expect(await rowsAfter(bai2[2]!)).toBe(6);
  });

  test('any file of the series again changes nothing', async () => {
    for (const file of bai2) await take(file);
    const events = await ledger.events();
    for (const file of bai2) await take(file);
    expect(await ledger.events()).toEqual(events);
  });

  test('the camt pair gives 3 and 4 rows: one reference, another amount, the same transaction', async () => {
    expect(await rowsAfter(camt[0]!)).toBe(3);
    expect(await rowsAfter(camt[1]!)).toBe(4);
    const events = await ledger.events();
    expect(events.filter(({ type }) => type === 'TransactionPosted')).toHaveLength(2);
    await take(camt[1]!);
    expect(await ledger.events()).toEqual(events);
  });
});
