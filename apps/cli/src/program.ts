import { Command } from 'commander';
import { bankFileCommands } from './commands/bank-file.ts';
import { deadLettersCommands } from './commands/dead-letters.ts';
import { keysCommands } from './commands/keys.ts';
import { projectionsCommands } from './commands/projections.ts';
import { topicsCommands } from './commands/topics.ts';

/** The groups of commands, in the order in which `causeway --help` lists them. */
const groups: readonly ((program: Command) => void)[] = [
  keysCommands,
  bankFileCommands,
  projectionsCommands,
  deadLettersCommands,
  topicsCommands,
];

/** A command throws when it fails (status 1); commander throws on wrong usage (status 2). Nothing here exits. */
export const causeway = (): Command => {
  const program = new Command('causeway').description('Operate and inspect a Causeway system').exitOverride();
  for (const addTo of groups) addTo(program);
  return program;
};
