import { freePort } from '@causeway/postgres';
import { discardSystem } from '@causeway/testing';
import { Command, InvalidArgumentError } from 'commander';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runRestatements } from './restatements/run.ts';
import { episode, faultsOf, siteOf, type Outcome } from './episode.ts';
import type { Setup, Site } from './world.ts';

/** So many seeds are spent on the same data before a new start from nothing. */
const seedsPerSite = 10;

const wholeNumber = (written: string): number => {
  if (!/^\d+$/.test(written)) throw new InvalidArgumentError('Not a whole number.');
  return Number(written);
};

/** For gateway, bank and webhooks. */
const portsPerSite = 3;

const newSite = async (setup: Setup): Promise<Site> => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-chaos-')), 'var');
  return siteOf(dataDir, await freePort(portsPerSite), setup);
};

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

const targetOf = (strike: string): string => strike.replace(/ at \S+$/, '');

const tally = (names: readonly string[]): ReadonlyMap<string, number> => {
  const times = new Map<string, number>();
  names.forEach((name) => times.set(name, (times.get(name) ?? 0) + 1));
  return times;
};

/** What was planned and did not happen, in words. A run without it proves less than it says. */
const missed = (planned: readonly string[], struck: readonly string[]): readonly string[] => {
  const happened = tally(struck);
  return [...tally(planned)]
    .filter(([target, times]) => (happened.get(target) ?? 0) < times)
    .map(([target, times]) => `${target}: planned ${times} times, happened ${happened.get(target) ?? 0} times`);
};

type Run = Readonly<{ seeds: readonly number[]; minutes: number; setup: Setup }>;

const runSeeds = async ({ seeds, minutes, setup }: Run): Promise<boolean> => {
  const until = Date.now() + minutes * 60_000;
  const struck: string[] = [];
  const planned: string[] = [];
  const results = { passed: 0, failed: 0 };
  let site: Site | undefined;
  for (const [index, seed] of seeds.entries()) {
    if (Date.now() > until) break;
    if (site !== undefined && index % seedsPerSite === 0) {
      discardSystem(site.dataDir);
      site = undefined;
    }
    site ??= await newSite(setup);
    planned.push(...faultsOf(seed, setup).map(({ target }) => target));
    const outcome = await attempt(site, seed);
    struck.push(...outcome.struck);
    console.log(`seed ${seed}: ${describe(outcome)}`);
    outcome.broken.slice(0, 12).forEach((line) => console.log(`  ${line}`));
    if (outcome.broken.length === 0) {
      results.passed++;
      continue;
    }
    results.failed++;
    const again = `npm run chaos -- --seed ${seed}${setup === 'standalone' ? '' : ` --${setup}`}`;
    console.log(`  data kept in ${site.dataDir}; again with: ${again}`);
    site = undefined;
  }
  if (site !== undefined) discardSystem(site.dataDir);
  [...tally(struck)].sort().forEach(([strike, times]) => console.log(`${times} x ${strike}`));
  const gaps = missed(planned, struck.map(targetOf));
  gaps.forEach((gap) => console.log(`${gap}: that is no pass`));
  console.log(`${results.passed} passed, ${results.failed + gaps.length} failed`);
  return results.failed + gaps.length === 0 && results.passed > 0;
};

const program = new Command('chaos')
  .description('Kills the running system under load and checks what clients and the bank were told')
  .option('--seeds <n>', 'so many seeds', wholeNumber, 10)
  .option('--first <s>', 'the first of them', wholeNumber, 1)
  .option('--seed <s>', 'this seed only', wholeNumber)
  .option('--minutes <m>', 'start no further seed after so long', wholeNumber, 90)
  .option('--distributed', 'the five as processes of their own, each hit for itself', false)
  .option('--restatements', 'no faults: each seed another order of what changes the past at the bank', false)
  .option('--replicas', 'the five, each grows to three processes, is restarted and shrinks to one again', false)
  .parse();
const options = program.opts<{
  seeds: number;
  first: number;
  seed?: number;
  minutes: number;
  distributed: boolean;
  replicas: boolean;
  restatements: boolean;
}>();
const setup = options.replicas ? 'replicas' : options.distributed ? 'distributed' : 'standalone';
const seeds =
  options.seed === undefined ? Array.from({ length: options.seeds }, (_, n) => options.first + n) : [options.seed];
const run = options.restatements ? runRestatements : runSeeds;
process.exitCode = (await run({ ...options, seeds, setup })) ? 0 : 1;
