import { fuzzStatementFiles } from '@causeway/bank-connectors/testing';
import { Command, InvalidArgumentError } from 'commander';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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

await new Command('fuzz')
  .description('Read mutated statement files until one breaks something')
  .option('--seed <number>', 'of the first file; each following has the next', wholeNumber, Date.now() % 1_000_000_000)
  .option('--minutes <number>', 'how long', wholeNumber, 1)
  .option('--files <folder>', 'files to begin with', fixtures)
  .action(fuzz)
  .parseAsync();
