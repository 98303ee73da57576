import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, truthOf } from './client.ts';
import { asCheckout, fits, guideSettings, isFile, run, snippetsIn, starts, type Run, type Snippet } from './guide.ts';

/** In the order in which one reads them: each begins where a newcomer may begin. */
const guides = ['README', 'first-hour', 'authentication', 'feed', 'history', 'payments', 'webhooks'];
const guideTimeoutMs = 270_000;

/** Whether this machine has the program, and the package can be had. */
const canRun = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { cwd: tmpdir(), encoding: 'utf8' }).status === 0;
const download = ['-m', 'pip', 'download', '--no-deps', '--quiet', '--dest', tmpdir()];
const there = [
  ...(canRun('python3', ...download, 'standardwebhooks') ? ['python'] : []),
  ...(canRun('go', 'list', '-m', 'github.com/standard-webhooks/standard-webhooks/libraries@latest') ? ['go'] : []),
];

describeWithPostgres('an integrator with the README and /docs alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-guides-'));
  const dataDir = join(folder, 'var');
  let system: System;
  const snippets = new Map<string, readonly Snippet[]>();
  const runs = new Map<string, readonly Run[]>();
  const snippetsOf = (name: string): readonly Snippet[] => snippets.get(name) ?? [];

  const read = async (name: string): Promise<string> =>
    name === 'README' ? readFileSync('README.md', 'utf8') : (await fetch(`${system.baseUrl}/docs/${name}.md`)).text();

  beforeAll(async () => {
    asCheckout(folder);
    system = await startSystem({ dataDir, env: guideSettings });
    for (const name of guides) snippets.set(name, snippetsIn(await read(name)));
  });

  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(guides)(
    'gets through %s, command by command',
    async (name) => {
      const done = await run(snippetsOf(name), { folder, there });
      runs.set(name, done);
      expect(done.length).toBeGreaterThan(0);
    },
    guideTimeoutMs,
  );

  test('has read transactions, made one payment and verified a webhook within the first hour', async () => {
    const [transfer] = (await clientOf(system).all('/v1/transfers')).filter(({ memo }) => memo === 'My first payment');
    expect(transfer).toMatchObject({ status: 'completed', executedAmount: { value: '12.50' } });
    const [connection] = await clientOf(system).all('/v1/connections');
    const { payments } = await truthOf(system, String(connection?.id));
    expect(payments.filter(({ reference }) => reference === transfer?.id)).toHaveLength(1);
    expect(readFileSync(join(folder, 'received.txt'), 'utf8')).toMatch(
      /^test evt_\w+\ntransactions.sync_available evt_\w+$/m,
    );
  });

  test.each(guides)('sees what %s shows', (name) => {
    const all = snippetsOf(name);
    const wrong = (runs.get(name) ?? []).flatMap(({ snippet, printed }) => {
      const shown = all[all.indexOf(snippet) + 1];
      if (shown?.language !== 'json') return [];
      const got: unknown = JSON.parse(printed);
      return fits(JSON.parse(shown.code), got) ? [] : [{ shown: shown.code, got }];
    });
    expect(wrong).toEqual([]);
  });

  test.each(guides)('runs every program of %s', (name) => {
    const commands = snippetsOf(name).filter(({ language }) => language === 'sh');
    const files = snippetsOf(name).filter(isFile);
    expect(files.filter(({ info }) => !commands.some(({ code }) => code.includes(info)))).toEqual([]);
  });

  for (const language of ['python', 'go']) {
    (there.includes(language) ? test : test.skip)(`verifies a delivery in ${language}`, () => {
      const done = runs.get('webhooks')?.find(({ snippet }) => snippet.info === language);
      expect(done?.printed).toMatch(/^verified/m);
    });
  }

  test('finds nothing else to type but how the system is started', () => {
    const others = guides.flatMap(snippetsOf).filter(({ language }) => language === 'console');
    expect(others.map(({ code }) => code)).toEqual([starts]);
  });
});
