import { fuzzStatementFiles } from '@causeway/bank-connectors/testing';
import { Command, InvalidArgumentError } from 'commander';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fuzzRequests, peaksOf } from './requests.ts';

const wholeNumber = (written: string): number => {
  if (!/^\d+$/.test(written)) throw new InvalidArgumentError('Not a whole number.');
  return Number(written);
};

/** Those of our own specs; `dist/apps/fuzz` is where this runs. */
const fixtures = join(import.meta.dirname, '../../../libs/bank-formats/src/fixtures');

const filesUnder = (folder: string): readonly Buffer[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));

type Options = Readonly<{ seed: number; minutes: number; files: string }>;

const fuzz = async ({ seed, minutes, files }: Options): Promise<void> => {
  console.log(`seed ${seed}`);
  let [count, told] = [0, Date.now()];
  const onFile = (number: number): void => {
    count = number;
    if (Date.now() - told < 10_000) return;
    told = Date.now();
    console.log(`${count} files held`);
  };
  const broken = await fuzzStatementFiles({ seed, forMs: minutes * 60_000, files: filesUnder(files), onFile });
  const memory = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`${count} files held; this process took ${memory} MB at most`);
  if (broken === null) return;
  const kept = `fuzz-${broken.seed}.broken`;
  writeFileSync(kept, broken.file);
  console.error(`seed ${broken.seed} breaks it; the file is kept as ${kept}\n${broken.error.stack ?? ''}`);
  process.exitCode = 1;
};

const millisecondsAt = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(1);

const requests = async ({ seed, minutes }: Omit<Options, 'files'>): Promise<void> => {
  console.log(`seed ${seed}`);
  const dataDir = process.env['CAUSEWAY_DATA_DIR'] ?? 'var';
  const running = JSON.parse(readFileSync(join(dataDir, 'dev.json'), 'utf8')) as Parameters<typeof fuzzRequests>[0];
  const { requests: count, statuses, probed } = await fuzzRequests(running, seed, minutes * 60_000);
  const sorted = probed.toSorted((a, b) => a - b);
  console.log(`${count} requests held; answered ${JSON.stringify(statuses)} (0: hung up)`);
  const shares = [0.5, 0.99, 0.999, 1].map((share) => millisecondsAt(sorted, share));
  console.log(
    `another's request meanwhile: p50 ${shares[0]}, p99 ${shares[1]}, p99.9 ${shares[2]}, at most ${shares[3]} ms`,
  );
  console.log(`resident at most, MB: ${JSON.stringify(peaksOf(running))}`);
};

const program = new Command('fuzz').description('Hostile input, until something breaks');
const timed = (name: string, description: string): Command =>
  program
    .command(name, { isDefault: name === 'files' })
    .description(description)
    .option('--seed <number>', 'of the first; each following has the next', wholeNumber, Date.now() % 1_000_000_000)
    .option('--minutes <number>', 'how long', wholeNumber, 1);
timed('files', 'read mutated statement files').option('--files <folder>', 'files to begin with', fixtures).action(fuzz);
timed('requests', 'send mutated requests to the system that runs').action(requests);
await program.parseAsync();
