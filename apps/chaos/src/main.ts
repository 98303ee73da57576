import { discardSystem } from '@causeway/testing';
import { Command, InvalidArgumentError } from 'commander';
import { randomInt } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { episode, siteOf, type Outcome, type Site } from './episode.ts';

/** So many seeds are spent on the same data before a new start from nothing. */
const seedsPerSite = 10;

const wholeNumber = (written: string): number => {
  if (!/^\d+$/.test(written)) throw new InvalidArgumentError('Not a whole number.');
  return Number(written);
};

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/**
 * Two neighbours, for gateway and bank. Below the ports that connections going out are given: one of those could take
 * ours between a kill and the next start.
 */
const freePorts = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
};

const newSite = async (): Promise<Site> =>
  siteOf(join(mkdtempSync(join(tmpdir(), 'causeway-chaos-')), 'var'), await freePorts());

const describe = ({ struck, did, broken }: Outcome): string => {
  const counts = [...did].map(([what, times]) => `${times} ${what}`).join(', ');
  return `${broken.length === 0 ? 'ok' : 'FAILED'}; struck ${struck.join(', ') || 'nothing'}; ${counts}`;
};

const attempt = (site: Site, seed: number): Promise<Outcome> =>
  episode(site, seed).catch((error: Error) => ({
    struck: [],
    did: new Map<string, number>(),
    broken: [error.message],
  }));

const runSeeds = async (seeds: readonly number[], minutes: number): Promise<boolean> => {
  const until = Date.now() + minutes * 60_000;
  const strikes = new Map<string, number>();
  let passed = 0;
  let failed = 0;
  let site: Site | undefined;
  for (const [index, seed] of seeds.entries()) {
    if (Date.now() > until) break;
    if (site === undefined || index % seedsPerSite === 0) {
      if (site !== undefined) discardSystem(site.dataDir);
      site = await newSite();
    }
    const outcome = await attempt(site, seed);
    console.log(`seed ${seed}: ${describe(outcome)}`);
    outcome.broken.slice(0, 12).forEach((line) => console.log(`  ${line}`));
    outcome.struck.forEach((strike) => strikes.set(strike, (strikes.get(strike) ?? 0) + 1));
    if (outcome.broken.length === 0) {
      passed++;
      continue;
    }
    failed++;
    console.log(`  data kept in ${site.dataDir}; again with: npm run chaos -- --seed ${seed}`);
    site = undefined;
  }
  if (site !== undefined) discardSystem(site.dataDir);
  [...strikes].sort().forEach(([strike, times]) => console.log(`${times} x ${strike}`));
  const kinds = ['system', 'postgres'].filter(
    (target) => ![...strikes.keys()].some((strike) => strike.startsWith(target)),
  );
  kinds.forEach((target) => console.log(`a kill of ${target} never happened: that is no pass`));
  console.log(`${passed} passed, ${failed + kinds.length} failed`);
  return failed + kinds.length === 0 && passed > 0;
};

const program = new Command('chaos')
  .description('Kills the running system under load and checks what clients and the bank were told')
  .option('--seeds <n>', 'seeds 1 to n', wholeNumber, 10)
  .option('--seed <s>', 'this seed only', wholeNumber)
  .option('--minutes <m>', 'start no further seed after so long', wholeNumber, 60)
  .parse();
const options = program.opts<{ seeds: number; seed?: number; minutes: number }>();
const seeds = options.seed === undefined ? Array.from({ length: options.seeds }, (_, n) => n + 1) : [options.seed];
process.exitCode = (await runSeeds(seeds, options.minutes)) ? 0 : 1;
