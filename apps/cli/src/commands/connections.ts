import { connection, connectionFoldVersion, isKnown, type ConnectionCommand } from '@causeway/domain/connections';
import { commandHandler, stateReader, type Context } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { operatorIn } from '../operator.ts';
import { print, printJson, type Json } from '../print.ts';
import { onRunningSystem, openStore, systemAddress } from '../running-system.ts';
import { uuidOf } from '../uuid.ts';

const schema = 'connections';
const shownWithinMs = 10_000;
const pollMs = 50;

type Flags = Json & Readonly<{ reason: string }>;
type Order = 'PauseConnection' | 'ResumeConnection';

const newId = (): string => uuidV7();

/** As the service itself would append it. */
const record = async (pool: Pool, command: Extract<ConnectionCommand, { type: Order }>): Promise<void> => {
  const { postgresSnapshots } = await import('@causeway/event-stores');
  const store = await openStore(process.env, pool, `${schema}_events`);
  try {
    const streamOf = ({ connectionId }: Pick<ConnectionCommand, 'connectionId'>) =>
      `connection-${connectionId}` as const;
    const snapshots = { cache: postgresSnapshots(pool, schema), foldVersion: connectionFoldVersion };
    const known = await stateReader(store, connection, snapshots).now(streamOf(command));
    if (!isKnown(known.state)) throw new Error(`there is no connection ${command.connectionId}`);
    const id = newId();
    const context: Context = { metadata: { correlationId: id, causationId: id, ...known.state.scope } };
    const handle = commandHandler(store, connection, { streamOf, newId, snapshots });
    const decision = await handle(command, context, known);
    if (decision.outcome === 'accepted') return;
    const { rejection } = decision;
    throw new Error(
      rejection.code === 'wrong_status'
        ? `connection ${command.connectionId} is ${rejection.status}`
        : `there is no connection ${command.connectionId}`,
    );
  } finally {
    await store.close();
  }
};

const untilShown = async (pool: Pool, connectionId: string, status: string): Promise<void> => {
  const sql = `SELECT FROM read_models.connections_v1 WHERE id = $1 AND status = $2`;
  for (const deadline = Date.now() + shownWithinMs; Date.now() < deadline; await sleep(pollMs)) {
    if ((await pool.query(sql, [connectionId, status])).rowCount === 1) return;
  }
  throw new Error(`connection ${connectionId} is ${status}, but the system did not take notice in time`);
};

const give =
  (type: Order, status: string) =>
  async (connectionId: string, { reason, json }: Flags): Promise<void> => {
    const order = { type, connectionId, reason, operator: operatorIn(process.env), at: new Date().toISOString() };
    await onRunningSystem(systemAddress(process.env), schema, async (pool) => {
      await record(pool, order);
      await untilShown(pool, connectionId, status);
    });
    if (json === true) printJson({ connectionId, status });
    else print(`Connection ${connectionId} is ${status}.`);
  };

export const connectionsCommands = (program: Command): void => {
  const connections = program.command('connections').description('Pause and resume connections of a running system');
  const add = (name: string, description: string, work: ReturnType<typeof give>): Command =>
    connections
      .command(name)
      .description(description)
      .argument('<id>', 'the connection', uuidOf('connection'))
      .requiredOption('--reason <text>', 'why, for who looks at its history')
      .option('--json', 'print JSON')
      .action(work);
  add('pause', 'Stop its syncs until it is resumed', give('PauseConnection', 'paused'));
  add('resume', 'Let a paused one sync again', give('ResumeConnection', 'active'));
};
