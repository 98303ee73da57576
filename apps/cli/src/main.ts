import { CommanderError } from 'commander';
import { causeway } from './program.ts';

/** Wrong usage. Commander's own status for it is 1, which here means that the command itself failed. */
const usageStatus = 2;

// `causeway … | head` closes the pipe when it has seen enough, which is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

try {
  await (await causeway(process.argv[2])).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : usageStatus;
  else {
    process.stderr.write(`causeway: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
