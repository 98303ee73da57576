import { checkSecrets, mastersInUse, rewrapDataKeys, type MasterInUse } from '@causeway/data-keys';
import type { Command } from 'commander';
import { print, printJson, type Json } from '../print.ts';
import { keysAddress, onDatabase, secretsAt, systemAddress } from '../running-system.ts';

const setting = 'CAUSEWAY_MASTER_KEY';

const show = (inUse: readonly MasterInUse[]): void => {
  for (const { id, dataKeys } of inUse) print(`${id}  ${dataKeys} data keys`);
};

const list = async ({ json }: Json): Promise<void> => {
  const inUse = await onDatabase(keysAddress(process.env), mastersInUse);
  if (json === true) printJson(inUse);
  else show(inUse);
};

const rewrap = async ({ json }: Json): Promise<void> => {
  const { env } = process;
  const masterKeys = secretsAt(env, setting);
  const { id } = masterKeys[0];
  await onDatabase(keysAddress(env), async (pool) => {
    const atHand = new Map([[setting, masterKeys] as const]);
    const fresh = await onDatabase(systemAddress(env), (main) => checkSecrets(main, atHand, pool));
    // What it wraps, those that run could not open.
    if (fresh.some((secret) => secret.id === id)) throw new Error(`nothing has started with ${setting} ${id} yet`);
    const moved = await rewrapDataKeys(pool, masterKeys);
    const inUse = await mastersInUse(pool);
    if (json === true) return printJson(inUse);
    print(`${moved} data keys were wrapped under ${id}.`);
    show(inUse);
  });
};

export const dataKeysCommands = (program: Command): void => {
  const dataKeys = program.command('data-keys').description('The keys that data is encrypted under');
  dataKeys
    .command('rewrap')
    .description('Wrap all of them under the first key of CAUSEWAY_MASTER_KEY, while all runs')
    .option('--json', 'print what list prints')
    .action(rewrap);
  dataKeys
    .command('list')
    .description('The master keys in use, and how many data keys each wraps')
    .option('--json', 'print JSON')
    .action(list);
};
