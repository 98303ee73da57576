import { nextRunAt, type LastRun, type Scope } from '@causeway/domain/connections';
import type { Pool } from '@causeway/postgres';
import { createHash } from 'node:crypto';
import { ownContext } from '../commands/aggregates.ts';
import type { Commands } from '../commands/commands.ts';
import { startSync } from '../commands/sync-connection.ts';
import type { RunRef } from './sync-run.ts';

export type Due = Readonly<{ connectionId: string; scope: Scope }>;
type Idle = Scope & Readonly<{ id: string; last_run: LastRun }>;

/** Runs that were requested and have not ended, whoever began them. */
export const openRuns = async (pool: Pool): Promise<readonly RunRef[]> => {
  const { rows } = await pool.query<RunRef>(
    `SELECT id AS "connectionId", run->>'runId' AS "runId" FROM connections.sync_state WHERE run IS NOT NULL`,
  );
  return rows;
};

/** Connections whose next run is due by itself. The statement leaves out most that are not; the rule decides. */
export const dueConnections = async (pool: Pool, intervalSeconds: number, now: string): Promise<readonly Due[]> => {
  const { rows } = await pool.query<Idle>(
    `SELECT id, organization, environment, last_run FROM connections.sync_state
      WHERE run IS NULL AND last_run IS NOT NULL AND connector IS NOT NULL
        AND status IN ('active', 'errored', 'reauthRequired')
        AND ((last_run->>'failures')::int > 0
             OR (last_run->>'endedAt')::timestamptz < $1::timestamptz - $2 * interval '0.8 s')`,
    [now, intervalSeconds],
  );
  return rows
    .filter(({ id, last_run: last }) => nextRunAt(last, intervalSeconds, spreadOf(id, last.endedAt)) <= Date.parse(now))
    .map(({ id, organization, environment }) => ({ connectionId: id, scope: { organization, environment } }));
};

/** From 0 to 1, the same for the same run. */
const spreadOf = (connectionId: string, endedAt: string): number =>
  createHash('sha256').update(`${connectionId} ${endedAt}`).digest().readUInt32BE() / 0xffffffff;

/** A refusal needs no answer: somebody was faster, or the connection is going. */
export const startDue = async (commands: Commands, { connectionId, scope }: Due): Promise<void> => {
  await startSync(commands, { ...scope, connectionId }, 'schedule', ownContext(scope));
};
