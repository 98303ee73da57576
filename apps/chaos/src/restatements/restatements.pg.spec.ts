import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { apiOf, bankControl } from '../api.ts';
import { interleavingOf } from './interleaving.ts';
import { restate } from './restate.ts';
import { systemEnv } from './run.ts';

/** `npm run chaos -- --restatements --seeds 1000` runs more of them. */
const first = Number(process.env['CAUSEWAY_TEST_SEED'] ?? 1);
const seeds = Array.from({ length: 3 }, (_, n) => first + n);

describeWithPostgres('whatever changes the past at the bank, in any order', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-restatements-')), 'var');
  const days: string[] = [];
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ dataDir, env: systemEnv });
  }, 120_000);
  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
  });

  test.each(seeds)(
    'a replica, the lists and the bank agree, and nothing moved without a reason (seed %i)',
    async (seed) => {
      const bench = { api: apiOf(system.baseUrl, system.testKey), bank: bankControl(system.sandboxBankUrl) };
      const { broken, discrepancies } = await restate(bench, seed);
      days.push(...discrepancies);
      expect(broken).toEqual([]);
    },
    120_000,
  );

  test('every day that does not add up is told, and no other', async () => {
    const env = { ...process.env, CAUSEWAY_DATA_DIR: dataDir };
    const words = ['tools/causeway.mjs', 'ledger', 'check', '--json'];
    const checked = promisify(execFile)(process.execPath, words, { env });
    const { stdout } = await checked.catch((error: { stdout: string }) => error);
    const listed = JSON.parse(stdout) as { accountId: string; date: string }[];
    expect(listed.map(({ accountId, date }) => `${accountId} ${date}`).sort()).toEqual(days.sort());
  });
});

test('a thousand seeds meet every kind of step at least fifty times, and each seed is always the same', () => {
  const steps = Array.from({ length: 1000 }, (_, seed) => interleavingOf(seed + 1)).flat();
  const met = new Map<string, number>();
  for (const step of steps) {
    const name = step.type === 'bank' ? step.change.scenario : step.type;
    met.set(name, (met.get(name) ?? 0) + 1);
  }
  expect(met.size).toBe(18);
  expect([...met].filter(([, times]) => times < 50)).toEqual([]);
  expect(interleavingOf(7)).toEqual(interleavingOf(7));
});
