import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalRecord } from './changes.ts';
import { openJournal } from './journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'journal-'));
let files = 0;
const newPath = (): string => join(folder, String(++files), 'journal.ndjson');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const advanced = (byMs: number): JournalRecord => ({ atMs: 1, changes: [{ type: 'clockAdvanced', byMs }] });
/** Without the marks that each opening leaves. */
const changesIn = (records: readonly JournalRecord[]) => records.flatMap(({ changes }) => changes);

const readBack = async (path: string) => {
  const { records, journal } = await openJournal(path, 0);
  await journal.close();
  return changesIn(records);
};

it('gives back what was written, in its order', async () => {
  const path = newPath();
  const { journal } = await openJournal(path, 0);
  for (let count = 1; count <= 100; count++) journal.append(advanced(count));
  await journal.durable();
  await journal.close();
  expect(await readBack(path)).toEqual(Array.from({ length: 100 }, (_, index) => advanced(index + 1).changes[0]));
});

it('has on disk what it calls durable', async () => {
  const path = newPath();
  const { journal } = await openJournal(path, 0);
  journal.append(advanced(1));
  await journal.durable();
  expect(readFileSync(path, 'utf8')).toContain('"byMs":1');
  await journal.close();
});

it('cuts off a line that was being written when the process died, wherever it broke', async () => {
  const path = newPath();
  const { journal } = await openJournal(path, 0);
  journal.append(advanced(1));
  await journal.close();
  const line = JSON.stringify(advanced(2));
  const whole = readFileSync(path);
  for (let length = 1; length <= line.length; length++) {
    writeFileSync(path, whole);
    appendFileSync(path, line.slice(0, length));
    expect(await readBack(path)).toEqual(advanced(1).changes);
  }
  const { journal: again } = await openJournal(path, 0);
  again.append(advanced(3));
  await again.close();
  expect(await readBack(path)).toEqual([...advanced(1).changes, ...advanced(3).changes]);
});

it('does not start on a journal that is damaged in its middle', async () => {
  const path = newPath();
  const { journal } = await openJournal(path, 0);
  await journal.close();
  appendFileSync(path, `not json\n${JSON.stringify(advanced(1))}\n`);
  await expect(openJournal(path, 0)).rejects.toThrow('damaged at byte');
});

it('shuts out the bank that had it open before', async () => {
  const path = newPath();
  const { journal: before } = await openJournal(path, 0);
  const { journal: after } = await openJournal(path, 0);
  before.append(advanced(1));
  await expect(before.durable()).rejects.toThrow('another process');
  before.append(advanced(2));
  await expect(before.durable()).rejects.toThrow('another process');
  after.append(advanced(3));
  await after.close();
  expect(await readBack(path)).toEqual(advanced(3).changes);
});
