import { discrepancies, type Discrepancy } from '@causeway/read-models';
import { Option, type Command } from 'commander';
import { print, printJson, type Json } from '../print.ts';
import type { RemapFlags } from '../remap.ts';
import { onRunningSystem, systemAddress } from '../running-system.ts';
import { uuidOf } from '../uuid.ts';

type Checked = Json & Readonly<{ account?: string; connection?: string; organization?: string }>;

const check = async ({ account: accountId, connection: connectionId, organization, json }: Checked): Promise<void> => {
  const { text, values } = discrepancies({ accountId, connectionId, organization });
  const { rows } = await onRunningSystem(systemAddress(process.env), 'ledger', (pool) =>
    pool.query<Discrepancy>(text, [...values]),
  );
  if (json === true) printJson(rows);
  for (const { accountId: id, date, expected, reported, difference } of json === true ? [] : rows) {
    print(`${id}  ${date}  the day before and what was posted: ${expected}, the bank: ${reported} (${difference})`);
  }
  if (rows.length > 0) throw new Error(`${rows.length} days do not add up`);
  if (json !== true) print('every day adds up');
};

const account = (): Option => new Option('--account <id>', 'of one account').argParser(uuidOf('account'));
const connection = (): Option => new Option('--connection <id>', 'of one connection').argParser(uuidOf('connection'));

export const ledgerCommands = (program: Command): void => {
  const ledger = program.command('ledger').description('Check balances; read kept bank pages anew');
  ledger
    .command('remap')
    .description('The present mapping over the kept bank pages: shows what would change, then publishes it')
    .addOption(connection())
    .option('--institution <id>', 'of all connections to an institution')
    .option('--organization <name>', 'of all connections of an organization')
    .requiredOption('--reason <text>', 'why, for who looks at the history of a row')
    .option('--dry-run', 'show it and publish nothing')
    .option('--yes', 'publish without asking; without a terminal nothing is asked or published')
    .option('--diff <file>', 'write every difference to a file, one JSON line a row')
    .option('--json', 'print JSON')
    // The connectors, which read what banks sent, are loaded with it.
    .action(async (flags: RemapFlags, command: Command) => (await import('../remap.ts')).remap(flags, command));
  ledger
    .command('check')
    .description('Days whose balances do not add up; status 1 if there is one')
    .addOption(account())
    .addOption(connection())
    .option('--organization <name>', 'of all accounts of an organization')
    .option('--json', 'print JSON')
    .action(check);
};
