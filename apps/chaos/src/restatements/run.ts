import { discardSystem, startSystem } from '@causeway/testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiOf, bankControl } from '../api.ts';
import { restate, type Bench, type Restated } from './restate.ts';

/** So many seeds are spent on one system before a new one: every list of an organization grows with them. */
const seedsPerSystem = 100;
const together = 4;

export const systemEnv = { CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0', CAUSEWAY_REQUESTS_PER_SECOND: '0' };

const describe = ({ did, discrepancies, broken }: Restated): string => {
  const counts = [...did].map(([what, times]) => `${times} ${what}`).join(', ');
  return `${broken.length === 0 ? 'ok' : 'FAILED'}; ${counts}; ${discrepancies.length} days do not add up`;
};

const attempt = (bench: Bench, seed: number): Promise<Restated> =>
  restate(bench, seed).catch((error: Error) => ({ did: new Map(), discrepancies: [], broken: [error.message] }));

/** Several at once, each on a connection of its own: they share the bank's clock and the feed's order. */
const runOn = async (bench: Bench, seeds: number[], untilMs: number): Promise<Readonly<Record<number, Restated>>> => {
  const results: Record<number, Restated> = {};
  const worker = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined && Date.now() < untilMs; seed = seeds.shift()) {
      const result = await attempt(bench, seed);
      results[seed] = result;
      console.log(`seed ${seed}: ${describe(result)}`);
      result.broken.slice(0, 12).forEach((line) => console.log(`  ${line}`));
    }
  };
  await Promise.all(Array.from({ length: together }, worker));
  return results;
};

type Run = Readonly<{ seeds: readonly number[]; minutes: number }>;

export const runRestatements = async ({ seeds, minutes }: Run): Promise<boolean> => {
  const untilMs = Date.now() + minutes * 60_000;
  const failed: string[] = [];
  let passed = 0;
  for (let begin = 0; begin < seeds.length && Date.now() < untilMs; begin += seedsPerSystem) {
    const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-restatements-')), 'var');
    const system = await startSystem({ dataDir, env: systemEnv });
    const bench = { api: apiOf(system.baseUrl, system.testKey), bank: bankControl(system.sandboxBankUrl) };
    const results = Object.entries(await runOn(bench, seeds.slice(begin, begin + seedsPerSystem), untilMs));
    await system.stop();
    const broken = results.filter(([, { broken }]) => broken.length > 0).map(([seed]) => seed);
    passed += results.length - broken.length;
    failed.push(...broken);
    if (broken.length === 0) discardSystem(dataDir);
    else console.log(`  data kept in ${dataDir}`);
  }
  failed.forEach((seed) => console.log(`again with: npm run chaos -- --restatements --seed ${seed}`));
  console.log(`${passed} passed, ${failed.length} failed`);
  return failed.length === 0 && passed > 0;
};
