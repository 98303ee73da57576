import { apply, emptyBank, type Bank } from './bank.ts';
import type { Change } from './changes.ts';
import { openJournal } from './journal.ts';

/** The bank at work: its state, its clock, and the one way to change it. */
export type Office = Readonly<{
  bank: Bank;
  seed: number;
  largeRows: number;
  nowMs: () => number;
  /** Makes the changes and writes them down. They are on disk when `durable` resolves. */
  record: (changes: readonly Change[]) => void;
  durable: () => Promise<void>;
  close: () => Promise<void>;
}>;

export type OfficeSettings = Readonly<{ journalPath: string; seed: number; largeRows: number }>;

export const openOffice = async (settings: OfficeSettings): Promise<Office> => {
  const { records, journal } = await openJournal(settings.journalPath, Date.now());
  const bank = emptyBank();
  for (const record of records) apply(bank, record);
  const nowMs = () => Date.now() + bank.clock.aheadMs;
  return {
    bank,
    seed: settings.seed,
    largeRows: settings.largeRows,
    nowMs,
    record(changes) {
      const record = { atMs: nowMs(), changes };
      apply(bank, record);
      journal.append(record);
    },
    durable: journal.durable,
    close: journal.close,
  };
};
