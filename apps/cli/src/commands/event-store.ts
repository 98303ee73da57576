import { adopt, checkAdoption, type OwnedKey } from '@causeway/data-keys';
import type { Identity, Survey } from '@causeway/event-stores';
import { startCluster } from '@causeway/postgres';
import { optional, type Environment } from '@causeway/settings';
import type { Command } from 'commander';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { print, printJson, type Json } from '../print.ts';
import { dataDirOf, storeSettings } from '../running-system.ts';

type Flags = Json & Readonly<{ yes?: boolean }>;
type Found = Survey & Readonly<{ identities: readonly Identity[] }>;

/** The database of a system that does not run: one of its own is started for as long as this takes. */
const onStopped = async <T>(env: Environment, work: (databaseUrl: string) => Promise<T>): Promise<T> => {
  const given = optional(env, 'CAUSEWAY_DATABASE_URL');
  if (given !== undefined) return work(given);
  const { lockDataDir } = await import('@causeway/launcher');
  const dataDir = dataDirOf(env);
  const unlock = lockDataDir(dataDir);
  const cluster = await startCluster({ dataDir }).catch((error: unknown) => {
    unlock();
    throw error;
  });
  try {
    return await work(cluster.url);
  } finally {
    await cluster.stop();
    unlock();
  }
};

/** To standard error: what is asked is decided by it, and the answer alone is piped. */
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const tell = ({ services, dataKeys, identities }: Found, lost: readonly OwnedKey[]): void => {
  const now = identities.at(-1);
  say(
    now === undefined ? 'Nothing says whose these events are.' : `Of the installation ${now.id}, since ${now.since}:`,
  );
  for (const { service, streams, events } of services) say(`  ${service}: ${streams} streams, ${events} events`);
  say('That installation is refused at its next start; one that runs is to be stopped before.');
  say('Where this database is new, events get their places and times anew: clients read everything again.');
  if (dataKeys.length > 0) say(`Data keys: ${dataKeys.length}, of which ${lost.length} are not there.`);
  if (lost.length > 0) {
    say('What is encrypted under these can never be read again, and they count as destroyed from now on:');
    say('delete these connections and connect anew. Webhooks whose data keys are gone, too, need new secrets.');
  }
};

const isAgreed = async ({ yes = false }: Flags): Promise<boolean> => {
  if (yes) return true;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Who closes the input has answered, too.
    const closed = once(terminal, 'close').then(() => '');
    const answer = await Promise.race([terminal.question('Take them over? [y/N] '), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
};

const takeOver = async (databaseUrl: string, env: Environment, flags: Flags) => {
  const { surveyServer, takeOverServer } = await import('@causeway/event-stores');
  const settings = await storeSettings(env);
  if (settings.kind === 'postgres') throw new Error('CAUSEWAY_EVENT_STORE must be eventstoredb');
  const adopting = { databaseUrl, keysDatabaseUrl: optional(env, 'CAUSEWAY_KEYS_DATABASE_URL') };
  const found = await surveyServer(settings);
  const { identities, services, dataKeys } = found;
  if (identities.length === 0 && services.length === 0) throw new Error('the event store holds nothing to adopt');
  const lost = await checkAdoption(adopting, { identities: identities.map(({ id }) => id), dataKeys });
  const from = identities.at(-1)?.id ?? null;
  if (lost === 'ours') return { outcome: 'ours', from, id: from, services, lostDataKeys: 0 };
  tell(found, lost);
  const summary = { from, services, lostDataKeys: lost.length };
  if (!(await isAgreed(flags))) return { outcome: 'left', id: null, ...summary };
  const id = await adopt(adopting, lost, (ours) => takeOverServer(settings, identities, ours));
  return { outcome: 'adopted', id, ...summary };
};

const answers: Readonly<Record<string, string>> = {
  ours: 'The events belong to this installation already.',
  left: 'Nothing was changed.',
  adopted: 'The events belong to this installation from now on: it can be started.',
};

const run = async (flags: Flags): Promise<void> => {
  const { env } = process;
  const done = await onStopped(env, (databaseUrl) => takeOver(databaseUrl, env, flags));
  if (flags.json === true) printJson(done);
  else print(answers[done.outcome] ?? done.outcome);
};

export const eventStoreCommands = (program: Command): void => {
  const eventStore = program.command('event-store').description('The EventStoreDB that holds the events');
  eventStore
    .command('adopt')
    .description('Take over the events of another installation, after a look at what there is')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .action(run);
};
