import { connectors } from '@causeway/bank-connectors';
import { previewRemap, publishRemap, remapDifferences, type KeptPage, type Remap } from '@causeway/booking';
import type { DataKeys } from '@causeway/data-keys';
import type { EventStore } from '@causeway/event-sourcing';
import { openPool, type Pool } from '@causeway/postgres';
import type { Difference } from '@causeway/projections';
import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { differenceText, reportOf } from './differences.ts';
import { keptPages } from './kept-pages.ts';
import { operatorIn } from './operator.ts';
import { print, printJson, type Json } from './print.ts';
import { onRunningSystem, openConnectionKeys, openStore, systemAddress } from './running-system.ts';
import { endProgress, isAgreed, isAttended, showProgress } from './terminal.ts';

const shownWithinMs = 10_000;
const pollMs = 50;

type Whose = Readonly<{ connection?: string; institution?: string; organization?: string }>;
export type RemapFlags = Json & Whose & Readonly<{ reason: string; dryRun?: boolean; yes?: boolean; diff?: string }>;

/** The connections that are meant; those that were deleted are no more. */
const connectionsOf = async (
  pool: Pool,
  { connection, institution, organization }: Whose,
): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM read_models.connections_v1
      WHERE id = coalesce($1, id) AND ($2::text IS NULL OR institution_id = $2)
        AND organization = coalesce($3, organization) ORDER BY id`,
    [connection, institution, organization],
  );
  if (connection !== undefined && rows.length === 0) throw new Error(`there is no connection ${connection}`);
  return rows.map(({ id }) => id);
};

/** What is read and written of a running system. */
type System = Readonly<{ pool: Pool; remap: Remap; evidence: Readonly<{ store: EventStore; dataKeys: DataKeys }> }>;

const onSystem = <T>({ reason }: RemapFlags, work: (system: System) => Promise<T>): Promise<T> =>
  onRunningSystem(systemAddress(process.env), 'ledger', async (pool) => {
    const { databaseUrl: url } = systemAddress(process.env);
    const booking = openPool({ url, applicationName: 'causeway', connectionsMax: 2, pipeline: true });
    const keys = openConnectionKeys(process.env);
    const store = await openStore(process.env, pool, 'ledger_events');
    const kept = await openStore(process.env, pool, 'connections_events');
    const id = uuidV7();
    try {
      const by = { reason, operator: operatorIn(process.env) };
      const remap = { pool: booking, store, mappings: connectors, by, causes: { correlationId: id, causationId: id } };
      return await work({ pool, remap, evidence: { store: kept, dataKeys: keys.dataKeys } });
    } finally {
      await Promise.all([store.close(), kept.close(), booking.end(), keys.close()]);
    }
  });

/** How many parts of pages were read. */
type Tally = { events: number };

const pagesOf = async function* ({ evidence }: System, connectionId: string, tally?: Tally): AsyncGenerator<KeptPage> {
  let pages = 0;
  for await (const page of keptPages(evidence, connectionId)) {
    showProgress(`connection ${connectionId}: page ${++pages}, of run ${page.run}`);
    if (tally !== undefined) tally.events += page.parts.length;
    yield page;
  }
};

type Preview = Readonly<{ system: System; connections: readonly string[]; tally: Tally }>;

const differencesOf = async function* ({ system, connections, tally }: Preview): AsyncGenerator<readonly Difference[]> {
  let refused = 0;
  const looked = async function* (connectionId: string) {
    for await (const page of previewRemap(system.remap, pagesOf(system, connectionId, tally))) {
      if (page.refused) refused++;
      yield page;
    }
  };
  for (const connectionId of connections) yield* remapDifferences(system.pool, looked(connectionId));
  endProgress(`${tally.events} parts of pages of ${connections.length} connections read`);
  if (refused > 0) endProgress(`${refused} pages cannot be read by the present mapping: their rows stay as they are`);
};

const untilShown = async ({ pool, remap }: System): Promise<void> => {
  const head = await remap.store.head();
  const sql = `SELECT FROM ledger.projection WHERE live AND name IN ('transactions', 'balances') AND position < $1`;
  for (const deadline = Date.now() + shownWithinMs; Date.now() < deadline; await sleep(pollMs)) {
    if ((await pool.query(sql, [head])).rowCount === 0) return;
  }
  throw new Error('it is published, but the system did not take notice in time');
};

const publish = async (system: System, connections: readonly string[]): Promise<void> => {
  for (const connectionId of connections) {
    for await (const { changes } of publishRemap(system.remap, pagesOf(system, connectionId))) void changes;
  }
  await untilShown(system);
};

const isWanted = async ({ dryRun, yes }: RemapFlags, differences: number): Promise<boolean> => {
  if (dryRun === true) return false;
  if (yes === true) return true;
  return differences > 0 && isAttended() && isAgreed('Publish it? [y/N] ');
};

export const remap = (flags: RemapFlags, command: Command): Promise<void> => {
  const { connection, institution, organization, diff } = flags;
  if ([connection, institution, organization].filter((given) => given !== undefined).length !== 1)
    command.error('error: give --connection, --institution or --organization', { exitCode: 2 });
  return onSystem(flags, async (system) => {
    const connections = await connectionsOf(system.pool, flags);
    const tally = { events: 0 };
    const report = await reportOf(differencesOf({ system, connections, tally }), diff);
    if (flags.json !== true) print(differenceText(report));
    const { added, changed, removed } = report;
    const wanted = await isWanted(flags, added + changed + removed);
    if (wanted) await publish(system, connections);
    const outcome = wanted ? 'switched' : 'discarded';
    if (flags.json === true) printJson({ name: 'ledger', outcome, ...tally, added, changed, removed });
    else print(wanted ? 'published' : 'nothing was published');
  });
};
