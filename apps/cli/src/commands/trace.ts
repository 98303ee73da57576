import type { Command } from 'commander';
import { print, printJson, type Json } from '../print.ts';
import { onDatabase, storeSettings, systemAddress } from '../running-system.ts';
import type { Effect } from '../trace/tree.ts';

const line = ({ id, kind, name, at }: Effect, depth: number): string =>
  [at, `${'  '.repeat(depth)}${kind}`, name, id].filter((word) => word !== '').join('  ');

const show = (effect: Effect, depth = 0): void => {
  print(line(effect, depth));
  for (const one of effect.effects) show(one, depth + 1);
};

const trace = async (id: string, { json }: Json): Promise<void> => {
  const { env } = process;
  if ((await storeSettings(env)).kind !== 'postgres') {
    throw new Error(
      'events in EventStoreDB are traced there: by the stream $bc-<request id>, once $by_correlation_id runs',
    );
  }
  const { findTrail, isCut } = await import('../trace/find.ts');
  const { treeOf } = await import('../trace/tree.ts');
  const trail = await onDatabase(systemAddress(env), (pool) => findTrail(env, pool, id));
  if (trail === undefined) throw new Error(`nothing is stored that ${id} led to`);
  if (await isCut(trail)) process.stderr.write('causeway: there is more, which is not shown\n');
  const tree = treeOf(trail);
  if (json === true) printJson(tree);
  else show(tree);
};

export const traceCommand = (program: Command): void => {
  program
    .command('trace')
    .description('Show what a request led to, from the request down to calls of banks and deliveries')
    .argument('<id>', 'of the request, or of an event, a transfer or a delivery that it led to')
    .option('--json', 'print JSON')
    .action(trace);
};
