import { bankFileFormats } from '@causeway/bank-formats';
import { Option, type Command } from 'commander';
import { bankFilesUnder, inspectBankFile, type InspectOptions } from '../bank-file/inspect.ts';
import { inspectionLines } from '../bank-file/table.ts';
import { print, printJson, type Json } from '../print.ts';

type Flags = InspectOptions & Json;

const inspect = async (paths: readonly string[], flags: Flags): Promise<void> => {
  const files = await bankFilesUnder(paths);
  const inspections = [];
  for (const file of files) inspections.push(await inspectBankFile(file, flags));

  const isOneFile = paths.length === 1 && files[0] === paths[0];
  const named = inspections.map((inspection, index) => ({ file: files[index] ?? '', ...inspection }));
  if (flags.json !== true) for (const each of named) print(inspectionLines(each).join('\n'));
  else printJson(isOneFile ? inspections[0] : named);
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
