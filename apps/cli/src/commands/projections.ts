import type { Pool } from '@causeway/postgres';
import {
  cancelRequest,
  keptGenerations,
  projectionStatuses,
  type ProjectionRequest,
  type ProjectionStatus,
  type Scope,
} from '@causeway/projections';
import { Option, type Command } from 'commander';
import { operatorIn } from '../operator.ts';
import { print, printJson, type Json } from '../print.ts';
import { carriedOut, carriedOutWithLook, schemaOf, tell, untilDone } from '../projection-request.ts';
import { ofReadModels } from '../read-models.ts';
import { onRunningSystem, systemAddress } from '../running-system.ts';
import { uuidOf } from '../uuid.ts';

type RebuildFlags = Json & Readonly<{ dryRun?: boolean; yes?: boolean; reason?: string; diff?: string }>;
type VerifyFlags = Json &
  Readonly<{
    account?: string;
    connection?: string;
    organization?: string;
    correct?: boolean;
    reason?: string;
    diff?: string;
  }>;
type RollbackFlags = Json & Readonly<{ reason: string }>;

const onSystem = <T>(work: (pool: Pool) => Promise<T>): Promise<T> =>
  onRunningSystem(systemAddress(process.env), 'ledger', work);

const statuses = (pool: Pool): Promise<readonly ProjectionStatus[]> =>
  ofReadModels(pool, ({ schema, store }) => projectionStatuses(pool, schema, store, Date.now()));

const list = async ({ json }: Json): Promise<void> => {
  const found = await onSystem(statuses);
  if (json === true) printJson(found);
  for (const { name, version, position, lagEvents, lagSeconds, state, parked } of json === true ? [] : found) {
    print(`${name} v${version}  ${state}  at ${position}, ${lagEvents} events and ${lagSeconds} s behind`);
    for (const { stream, reason, since } of parked) print(`  parked since ${since}: ${stream}  ${reason}`);
  }
};

const outcomes: Readonly<Record<string, string>> = {
  switched: 'rebuilt, and switched to',
  discarded: 'rebuilt, and dropped again: nothing was switched',
  equal: 'equal: the rows are what the events say',
  different: 'different',
};

const said = ({ state }: ProjectionRequest): string => outcomes[state] ?? state;

/** At work on one projection: a name that there is, in the schema of its service. */
const onProjection = <T>(name: string, work: (pool: Pool, schema: string) => Promise<T>): Promise<T> =>
  onSystem(async (pool) => work(pool, await schemaOf(pool, name)));

const operator = (): string => operatorIn(process.env);

const rebuild = (name: string, { dryRun, yes, reason, diff, json }: RebuildFlags) =>
  onProjection(name, async (pool, schema) => {
    const isDryRun = dryRun === true;
    const hasAgreed = yes === true && !isDryRun;
    // One who has agreed has, even if this ends before the switch.
    const whenReady = hasAgreed ? 'show' : 'ask';
    const asked = { name, kind: 'rebuild', whenReady, reason: reason ?? null, operator: operator() } as const;
    const told = { isDryRun, hasAgreed, ...(diff !== undefined && { file: diff }), json: json === true };
    const { request } = await carriedOutWithLook(pool, schema, asked, told);
    tell(request, told, said(request));
    if (request.state === 'cancelled') throw new Error(`${name}: cancelled`);
  });

const rollback = (name: string, { reason, ...flags }: RollbackFlags) =>
  onProjection(name, async (pool, schema) => {
    const [kept] = await keptGenerations(pool, schema, name);
    if (kept === undefined) throw new Error(`${name}: there is nothing to go back to`);
    const { generation } = kept;
    const asked = {
      name,
      kind: 'rollback',
      whenReady: 'switch',
      generation,
      reason,
      operator: operator(),
    } as const;
    const { request } = await carriedOut(pool, schema, asked);
    tell(request, flags, `gone back to version ${kept.version}`);
    if (request.state === 'cancelled') throw new Error(`${name}: cancelled`);
  });

const cancel = (name: string, flags: Json) =>
  onProjection(name, async (pool, schema) => {
    const id = await cancelRequest(pool, schema, name);
    if (id === undefined) throw new Error(`${name}: nothing is under way that can be ended`);
    const request = await untilDone(pool, schema, id);
    tell(request, flags, 'it was done before');
    if (request.state !== 'cancelled') throw new Error(`${name}: it was done before: ${request.state}`);
    if (flags.json !== true) print(`${name}: cancelled`);
  });

const drop = (name: string, flags: Json) =>
  onProjection(name, async (pool, schema) => {
    const asked = { name, kind: 'drop', whenReady: 'drop', operator: operator() } as const;
    const { request } = await carriedOut(pool, schema, asked);
    tell(request, flags, 'what is not live is dropped');
  });

const scopeOf = ({ account, connection, organization }: VerifyFlags): Scope | null => {
  if (account !== undefined) return { of: 'account', id: account };
  if (connection !== undefined) return { of: 'connection', id: connection };
  return organization === undefined ? null : { of: 'organization', id: organization };
};

const verify = (name: string, flags: VerifyFlags, command: Command) => {
  const { correct = false, reason = null, diff, json = false } = flags;
  if (correct && reason === null) command.error('error: --correct needs --reason', { exitCode: 2 });
  return onProjection(name, async (pool, schema) => {
    const whenReady = correct ? 'show' : 'ask';
    const by = { reason, operator: operator() };
    const asked = { name, kind: 'verify', whenReady, scope: scopeOf(flags), ...by } as const;
    const told = { isDryRun: !correct, hasAgreed: correct, ...(diff !== undefined && { file: diff }), json };
    const { request } = await carriedOutWithLook(pool, schema, asked, told);
    const isCorrected = correct && request.state === 'different';
    tell(request, flags, isCorrected ? 'corrected: the rows are what the events say' : said(request));
    if (request.state === 'cancelled') throw new Error(`${name}: cancelled`);
    if (request.state === 'different' && !correct) throw new Error(`${name} is not what the events say`);
  });
};

const jsonOption = ['--json', 'print JSON'] as const;
const reasonOption = ['--reason <text>', 'why, for who looks at the history of a row'] as const;

const diffOption = ['--diff <file>', 'write all that differs to a file, a line of JSON a row'] as const;

/** Of these, one at most. */
const parts = ['account', 'connection', 'organization'];
const partOption = (part: string, description: string): Option =>
  new Option(`--${part} <id>`, description).conflicts(parts.filter((other) => other !== part));

export const projectionsCommands = (program: Command): void => {
  const projections = program.command('projections').description('Look at, check and rebuild the read models');
  const command = (name: string, description: string): Command =>
    projections
      .command(name)
      .description(description)
      .option(...jsonOption);
  command('list', 'Show every projection, and how far it is behind').action(list);
  command('verify <name>', 'Fold the events once more beside the live rows and compare; status 1 on any difference')
    .addOption(partOption('account', 'of one account').argParser(uuidOf('account')))
    .addOption(partOption('connection', 'of one connection').argParser(uuidOf('connection')))
    .addOption(partOption('organization', 'of one organization'))
    .option('--correct', 'make the live rows what the events say, at the head of the feed')
    .option(reasonOption[0], `${reasonOption[1]}; needed to correct`)
    .option(...diffOption)
    .action(verify);
  command('rebuild <name>', 'Rebuild from the events beside the live one, show what differs, then switch if you agree')
    .option('--dry-run', 'show what differs, and drop it again')
    .option('--yes', 'switch without asking')
    .option(reasonOption[0], `${reasonOption[1]}; needed where rows differ`)
    .option(...diffOption)
    .action(rebuild);
  command('rollback <name>', 'Go back to the rows before the last switch; what differs is recorded')
    .requiredOption(...reasonOption)
    .action(rollback);
  command('cancel <name>', 'End a rebuild that is under way').action(cancel);
  command('drop <name>', 'Drop what is not live: what there was to go back to').action(drop);
};
