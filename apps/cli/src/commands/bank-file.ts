import { bankFileFormats } from '@causeway/bank-formats';
import { Option, type Command } from 'commander';
import { bankFilesUnder, inspectBankFile, type InspectOptions } from '../bank-file/inspect.ts';
import { inspectionLines } from '../bank-file/table.ts';

type Flags = InspectOptions & Readonly<{ json?: boolean }>;

/** Wide enough to read, small enough that no file's rows are held twice as text. */
const printJson = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);

const inspect = async (paths: readonly string[], flags: Flags): Promise<void> => {
  const files = await bankFilesUnder(paths);
  const isOne = files.length === 1 && paths.length === 1 && files[0] === paths[0];
  const inspections = [];
  for (const file of files) inspections.push({ file, ...(await inspectBankFile(file, flags)) });

  if (flags.json !== true)
    for (const each of inspections) process.stdout.write(`${inspectionLines(each).join('\n')}\n`);
  else if (isOne) {
    const { file: _, ...inspection } = inspections[0]!;
    printJson(inspection);
  } else printJson(inspections);
  // The result is printed either way; the status says whether all of it could be booked.
  if (inspections.some(({ outcome }) => outcome === 'refused')) process.exitCode = 1;
};

export const bankFileCommands = (program: Command): void => {
  program
    .command('bank-file')
    .description('Read bank files')
    .command('inspect <file...>')
    .description('Parse statement files (plain or .gz; a directory means its files) and show what they hold')
    .addOption(new Option('--format <format>', 'what the content is, when it does not say').choices(bankFileFormats))
    .option('--transactions', 'list the rows of each statement, too')
    .option('--json', 'print JSON')
    .action(inspect);
};
