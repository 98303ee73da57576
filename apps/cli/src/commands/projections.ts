import type { Pool } from '@causeway/postgres';
import {
  addRequest,
  answerRequest,
  finished,
  giveUpRequest,
  projectionStatuses,
  requestById,
  type ProjectionRequest,
  type ProjectionStatus,
  type WhenReady,
} from '@causeway/projections';
import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { doneLine, progressLine } from '../progress-line.ts';
import { ofReadModels, schemasOf } from '../read-models.ts';
import { NotRunning, onRunningSystem, systemAddress } from '../running-system.ts';
import { print, printJson, type Json } from '../print.ts';
import { endProgress, isAgreed, isAttended, showProgress } from '../terminal.ts';

type RebuildFlags = Json & Readonly<{ dryRun?: boolean; yes?: boolean }>;

const pollMs = 250;
/** A running service takes a request up within half a second, unless it is busy with the one before. */
const takenUpMaxMs = 60_000;

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

const schemaOf = async (pool: Pool, name: string): Promise<string> => {
  const known: string[] = [];
  for (const schema of await schemasOf(pool)) {
    const { rows } = await pool.query<{ name: string }>(`SELECT name FROM ${schema}.projection WHERE live ORDER BY 1`);
    if (rows.some((row) => row.name === name)) return schema;
    known.push(...rows.map((row) => row.name));
  }
  throw new Error(`there is no projection ${name}; there are ${known.join(', ')}`);
};

type Asked = Readonly<{ pool: Pool; schema: string; id: number }>;

/** Shows how it goes until it is in one of these states. */
const until = async ({ pool, schema, id }: Asked, states: readonly string[]): Promise<ProjectionRequest> => {
  const asked = performance.now();
  let began: number | undefined;
  for (;;) {
    const request = await requestById(pool, schema, id);
    if (request === undefined) throw new Error(`the request ${id} is gone`);
    const { name, state, events, total } = request;
    if (states.includes(state)) return request;
    if (state === 'waiting' && performance.now() - asked > takenUpMaxMs && (await giveUpRequest(pool, schema, id))) {
      throw new NotRunning(`the service that keeps ${name} does not take the request up`);
    }
    if (state !== 'waiting') began ??= performance.now();
    const seconds = (performance.now() - (began ?? performance.now())) / 1000;
    showProgress(progressLine({ name, state, events, total, seconds }));
    await sleep(pollMs);
  }
};

/** While the operator thinks, the running system is told that there still is one. */
const decide = async ({ pool, schema, id }: Asked, question: string): Promise<void> => {
  const beat = setInterval(
    () => void answerRequest(pool, schema, { id, whenReady: 'ask' }).catch(() => undefined),
    5000,
  );
  const agreed = await isAgreed(question).finally(() => clearInterval(beat));
  await answerRequest(pool, schema, { id, whenReady: agreed ? 'switch' : 'drop' });
};

const whenReady = ({ dryRun, yes }: RebuildFlags): WhenReady => {
  if (dryRun === true) return 'drop';
  if (yes === true) return 'switch';
  return isAttended() ? 'ask' : 'drop';
};

const outcomes: Readonly<Record<string, string>> = {
  switched: 'rebuilt, and switched to',
  discarded: 'rebuilt, and dropped again: nothing was switched',
  equal: 'equal: the rows are what the events say',
  different: 'different',
};

const report = ({ name, state, events, detail }: ProjectionRequest, { json }: Json): void => {
  if (json === true) printJson({ name, outcome: state, events, detail });
  else if (state in outcomes) print([`${name}: ${outcomes[state]}`, ...(detail === null ? [] : [detail])].join('\n'));
};

const carryOut = (name: string, kind: ProjectionRequest['kind'], when: WhenReady): Promise<ProjectionRequest> =>
  onSystem(async (pool) => {
    const schema = await schemaOf(pool, name);
    const { id } = await addRequest(pool, schema, { name, kind, whenReady: when });
    const asked = { pool, schema, id };
    const began = performance.now();
    const ready = await until(asked, ['ready', ...finished]);
    endProgress(doneLine({ ...ready, seconds: (performance.now() - began) / 1000 }));
    if (ready.state === 'ready' && when === 'ask') await decide(asked, `Switch ${name} to the rebuilt rows? [y/N] `);
    return until(asked, finished);
  });

const rebuild = async (name: string, flags: RebuildFlags): Promise<void> => {
  const request = await carryOut(name, 'rebuild', whenReady(flags));
  if (request.state === 'failed') throw new Error(`${name} cannot be rebuilt: ${request.detail}`);
  report(request, flags);
};

const verify = async (name: string, flags: Json): Promise<void> => {
  const request = await carryOut(name, 'verify', 'drop');
  if (request.state === 'failed') throw new Error(`${name} cannot be rebuilt: ${request.detail}`);
  report(request, flags);
  if (request.state !== 'equal') throw new Error(`${name} is not what the events say`);
};

export const projectionsCommands = (program: Command): void => {
  const projections = program.command('projections').description('Look at, check and rebuild the read models');
  projections
    .command('list')
    .description('Show every projection, and how far it is behind')
    .option('--json', 'print JSON')
    .action(list);
  projections
    .command('verify <name>')
    .description('Rebuild beside the live one and compare; status 1 on any difference')
    .option('--json', 'print JSON')
    .action(verify);
  projections
    .command('rebuild <name>')
    .description('Rebuild from the events beside the live one, then switch; asks first, without a terminal it does not')
    .option('--dry-run', 'build it and drop it again')
    .option('--yes', 'switch without asking')
    .option('--json', 'print JSON')
    .action(rebuild);
};
