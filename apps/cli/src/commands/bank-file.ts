import type { Command } from 'commander';

export const bankFileCommands = (program: Command): void => {
  program.command('bank-file').description('Read bank files');
};
