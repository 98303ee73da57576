import { Command } from 'commander';

type Group = (program: Command) => void;

/**
 * The groups of commands, in the order in which `causeway --help` lists them. Only the one that is asked for is loaded:
 * clients of brokers and stores take longer to load than most commands to run.
 */
const groups: Readonly<Record<string, () => Promise<Group>>> = {
  keys: async () => (await import('./commands/keys.ts')).keysCommands,
  'bank-file': async () => (await import('./commands/bank-file.ts')).bankFileCommands,
  connections: async () => (await import('./commands/connections.ts')).connectionsCommands,
  transfers: async () => (await import('./commands/transfers.ts')).transfersCommands,
  projections: async () => (await import('./commands/projections.ts')).projectionsCommands,
  ledger: async () => (await import('./commands/ledger.ts')).ledgerCommands,
  'data-keys': async () => (await import('./commands/data-keys.ts')).dataKeysCommands,
  'event-store': async () => (await import('./commands/event-store.ts')).eventStoreCommands,
  erasures: async () => (await import('./commands/erasures.ts')).erasuresCommands,
  trace: async () => (await import('./commands/trace.ts')).traceCommand,
  'dead-letters': async () => (await import('./commands/dead-letters.ts')).deadLettersCommands,
  webhooks: async () => (await import('./commands/webhooks.ts')).webhooksCommands,
  topics: async () => (await import('./commands/topics.ts')).topicsCommands,
};

/** A command throws when it fails (status 1); commander throws on wrong usage (status 2). Nothing here exits. */
export const causeway = async (asked: string | undefined): Promise<Command> => {
  const program = new Command('causeway').description('Operate and inspect a Causeway system').exitOverride();
  const load = groups[asked ?? ''];
  const loaded = await Promise.all((load === undefined ? Object.values(groups) : [load]).map((one) => one()));
  for (const addTo of loaded) addTo(program);
  return program;
};
