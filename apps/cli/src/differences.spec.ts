import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { differenceText, reportOf } from './differences.ts';

const changed = (n: number) =>
  ({ id: `t${n}`, change: 'changed', fields: { amount: ['1.00', `${n}.00`] as const } }) as const;
const batches = [
  [{ id: 'new', change: 'added', fields: { amount: [null, '1.00'] } } as const, changed(1)],
  [changed(2), { id: 'old', change: 'removed', fields: { amount: ['9.00', null] } } as const],
  [3, 4, 5].map(changed),
];

/** As they come from the database. */
const differences = async function* () {
  for (const batch of batches) yield batch.map((each) => ({ ...each, table: 'transactions', key: [each.id] }));
};

describe('the report of differences', () => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'differences-'))));
  afterAll(() => rm(folder, { recursive: true }));

  test('counts each kind and shows the first few with their fields', async () => {
    expect(differenceText(await reportOf(differences())).split('\n')).toEqual([
      'rows: 1 added, 5 changed, 1 removed',
      '  added new',
      '    amount: "1.00"',
      '  changed t1',
      '    amount: "1.00" → "1.00"',
      '  changed t2',
      '    amount: "1.00" → "2.00"',
      '  changed t3',
      '    amount: "1.00" → "3.00"',
      '  and 2 more changed',
      '  removed old',
      '    amount: "9.00"',
    ]);
  });

  test('is whole in the file, a line a row, for its owner alone', async () => {
    const file = join(folder, 'diff.jsonl');
    await reportOf(differences(), file);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual(batches.flat());
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});
