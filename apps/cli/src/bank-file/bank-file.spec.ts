import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

const causeway = join(import.meta.dirname, '../../../../tools/causeway.mjs');
const mebibyte = 1024 * 1024;

/**
 * Has the process say what it held at most (VmHWM, in KiB) as the last thing on standard error. Not `resourceUsage()`:
 * its maxRSS begins at what the parent held at the fork.
 */
const reportMemory =
  "--import=data:text/javascript,import{readFileSync}from'node:fs';process.on('exit',()=>" +
  "process.stderr.write('\\n'+/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status','utf8'))[1]))";

const run = async (...args: readonly string[]) => {
  const options = { env: { ...process.env, NODE_OPTIONS: reportMemory }, stdio: 'pipe' as const };
  const child = spawn(process.execPath, [causeway, ...args], options);
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  const bytesMax = Number(stderr.slice(stderr.lastIndexOf('\n') + 1)) * 1024;
  return { status, stdout, stderr, bytesMax };
};

const inspect = async (...args: readonly string[]) => {
  const { status, stdout } = await run('bank-file', 'inspect', '--json', ...args);
  return { status, result: JSON.parse(stdout) as unknown };
};

const bai2 = (accounts: number, rows: number, groupStatus = '1'): string => {
  const account = (number: number): readonly string[] => [
    `03,${7_700_000 + number},USD,015,${rows * 100},,/`,
    ...Array.from(
      { length: rows },
      (_, row) => `16,195,100,,REF${number}-${row},INV ${row},INCOMING WIRE/\n88,ORG:=ACME LLC`,
    ),
    `49,${rows * 200},${rows * 2 + 2}/`,
  ];
  const records = accounts * (rows * 2 + 2);
  return [
    '01,091000019,KESTREL01,260401,0615,7,,,2/',
    `02,KESTREL01,091000019,${groupStatus},260331,2400,USD,2/`,
    ...Array.from({ length: accounts }, (_, number) => account(number)).flat(),
    `98,${accounts * rows * 200},${accounts},${records + 2}/`,
    `99,${accounts * rows * 200},1,${records + 4}/`,
  ].join('\n');
};

let directory: string;
const file = (name: string, content: string | Buffer): string => {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
};

beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'bank-file-'))));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const statement = {
  account: '7700000',
  currency: 'USD',
  date: '2026-03-31',
  opening: null,
  closing: '2.00',
  available: null,
  transactions: 2,
  sum: '2.00',
};

describe('causeway bank-file inspect', () => {
  test('shows what one file holds', async () => {
    expect(await inspect(file('one.bai2', bai2(1, 2)))).toEqual({
      status: 0,
      result: { format: 'bai2', outcome: 'ok', anomalies: [], refusal: null, statements: [statement] },
    });
  });

  test('lists the rows in the field names of the interface when asked to', async () => {
    const { result } = await inspect('--transactions', file('rows.bai2', bai2(1, 1)));
    expect(result).toMatchObject({
      statements: [
        {
          rows: [
            {
              status: 'posted',
              postedDate: '2026-03-31',
              amount: '1.00',
              currency: 'USD',
              entryType: 'credit',
              description: 'INCOMING WIRE ORG:=ACME LLC',
              rail: 'wire',
              rawDescription: 'INCOMING WIRE\nORG:=ACME LLC',
              customerReference: 'INV 0',
              bankReference: 'REF0-0',
              baiCode: '195',
              counterpartyName: 'ACME LLC',
              counterpartyAccountMasked: null,
            },
          ],
        },
      ],
    });
  });

  test('marks groups that are deleted or only a test', async () => {
    const { result } = await inspect(file('test.bai2', bai2(1, 2, '4')));
    expect(result).toMatchObject({ outcome: 'ok', statements: [{ ...statement, ignored: true }] });
  });

  test('prints what a file with wrong figures holds, and what is wrong', async () => {
    const { status, result } = await inspect(file('odd.bai2', bai2(1, 2).replace('49,400', '49,401')));
    expect(status).toBe(0);
    expect(result).toMatchObject({ outcome: 'anomalies', statements: [statement] });
  });

  test('prints a file that would be refused, and fails', async () => {
    const whole = bai2(1, 2);
    expect(await inspect(file('cut.bai2', whole.slice(0, whole.indexOf('99,'))))).toMatchObject({
      status: 1,
      result: { format: 'bai2', outcome: 'refused', refusal: 'line 9: the file ends without its trailer (99)' },
    });
  });

  test('takes several files, and a directory for the files in it', async () => {
    const folder = join(directory, 'folder');
    mkdirSync(folder);
    const [one, two] = [file('folder/a.bai2', bai2(1, 2)), file('folder/b.gz', gzipSync(bai2(1, 2)))];
    const other = file('other.txt', 'nothing');
    const { status, result } = await inspect(folder, other);
    expect(status).toBe(1);
    expect(result).toMatchObject([
      { file: one, outcome: 'ok' },
      { file: two, outcome: 'ok' },
      { file: other, outcome: 'refused', format: null },
    ]);
  });

  test('writes lines for people, without a control character of the file', async () => {
    const path = file('people.bai2', bai2(1, 1).replace('WIRE/', 'WIRE \u001b[31m/'));
    const { stdout } = await run('bank-file', 'inspect', '--transactions', path);
    expect(stdout).toContain(`${path}: bai2, ok`);
    expect(stdout).toContain('INCOMING WIRE ?[31m ORG:=ACME LLC');
  });

  test.each([
    ['a file that is not there', ['bank-file', 'inspect', '/nowhere/at-all'], 1],
    ['no file', ['bank-file', 'inspect'], 2],
    ['an unknown format', ['bank-file', 'inspect', '--format', 'csv', 'x'], 2],
    ['an unknown option', ['bank-file', 'inspect', '--wrong', 'x'], 2],
    ['an unknown command', ['bank-fill'], 2],
  ])('says of %s on standard error that it is wrong', async (_, args, expected) => {
    const { status, stdout, stderr } = await run(...args);
    expect({ status, stdout }).toEqual({ status: expected, stdout: '' });
    expect(stderr).toMatch(/error|causeway:/);
  });

  test('reads 50,000 rows in less than 300 MB', async () => {
    const path = file('huge.bai2.gz', gzipSync(bai2(25, 2000)));
    const { status, stdout, bytesMax } = await run('bank-file', 'inspect', '--json', path);
    expect({ status, outcome: (JSON.parse(stdout) as { outcome: string }).outcome }).toEqual({
      status: 0,
      outcome: 'ok',
    });
    expect(bytesMax).toBeGreaterThan(10 * mebibyte);
    expect(bytesMax).toBeLessThan(300 * mebibyte);
  });
});
