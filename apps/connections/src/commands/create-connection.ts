import { BankFault } from '@causeway/bank-connectors';
import type { CreateConnectionV1, CreatedConnectionV1 } from '@causeway/contracts';
import { entity, type ConnectionEvent, type EntityEvent } from '@causeway/domain/connections';
import type { Context } from '@causeway/event-sourcing';
import type { Reply } from '@causeway/messaging';
import { connectionById, type ConnectionRow } from '@causeway/read-models';
import { v7 as uuidV7 } from 'uuid';
import { applyToConnection } from '../projections/connections/connections.ts';
import { bankOf } from './bank.ts';
import type { Commands } from './commands.ts';
import { defaultEntityId } from './create-entity.ts';
import { connectionName, type Name } from './names.ts';
import { destinationOf, type Destination } from './portal.ts';
import { invalid } from './problems.ts';

/**
 * One connection per entity and destination, however many ask at once: all of them open the one whose id was claimed
 * first, and one of them finds it new. A claim that its request did not live to use is used by the next one.
 */
export const createConnection = async (
  commands: Commands,
  command: CreateConnectionV1,
  context: Context,
): Promise<Reply<CreatedConnectionV1>> => {
  const destination = destinationOf(command);
  if ('problem' in destination) return { ok: false, problem: destination.problem };
  const entityId = command.entityId ?? defaultEntityId(command.organization);
  if (!(await hasEntity(commands, command.organization, entityId))) {
    return { ok: false, problem: invalid('entityId', 'names no entity') };
  }
  const wanted = { command, entityId, destination: destination.found };
  const name = connectionName(command, entityId, destination.found.portal);
  const { connectionId, isNew } = await claimed(commands, name, context);
  const { connections } = commands.quotas;
  if (isNew && !(await connections.admits(command, connectionId))) return { ok: false, problem: connections.problem };
  const created = await open(commands, connectionId, wanted, context);
  if (created) {
    await commands.untilVisible();
    await connections.settle(command, connectionId);
  }
  return { ok: true, data: { connection: await connectionRow(commands, command, connectionId), created } };
};

/** How long a request that creates a connection waits for the bank. */
const prepareMaxMs = 3000;

type Wanted = Readonly<{ command: CreateConnectionV1; entityId: string; destination: Destination }>;

const hasEntity = async ({ store }: Commands, organization: string, entityId: string): Promise<boolean> => {
  const history = await store.readStream<EntityEvent>(`entity-${entityId}`);
  const state = history.reduce(entity.evolve, entity.initial);
  return state.status === 'registered' && state.organization === organization;
};

/**
 * The erasure gives the name of a connection back; until it has come so far, the next use of the name does. The id is the
 * command's: delivered again after the deletion of what it made, it makes nothing.
 */
const claimed = async (
  commands: Commands,
  name: Name,
  context: Context,
): Promise<Readonly<{ connectionId: string; isNew: boolean }>> => {
  const candidateId = context.metadata.causationId;
  for (;;) {
    const at = commands.now();
    const connectionId = await commands.names.claim(name, candidateId, at, context);
    const { state } = await commands.aggregates.connectionNow(connectionId);
    if (state.status !== 'gone') return { connectionId, isNew: state.status === 'none' };
    await commands.names.release(name, connectionId, at, context);
    if (connectionId === candidateId) throw new Error(`connection ${connectionId} was made before, and deleted since`);
  }
};

/** True for the request that made it. */
const open = async (
  commands: Commands,
  connectionId: string,
  { command: { organization, environment }, entityId, destination: { portal, connector } }: Wanted,
  context: Context,
): Promise<boolean> => {
  const { aggregates, dataKeys, now } = commands;
  const scope = { organization, environment };
  // Before the first run can begin: whatever the bank says is encrypted under it.
  await dataKeys.create(connectionId, scope);
  const its = { connectionId, at: now(), scope, entityId, portal, connector, firstRunId: uuidV7() };
  const decision = await aggregates.connection({ type: 'OpenConnection', ...its }, context);
  const created = decision.outcome === 'accepted' && decision.events.length > 0;
  const bank = created ? bankOf(commands, connectionId, { connector, ...portal }) : undefined;
  if (bank !== undefined) {
    const signal = AbortSignal.timeout(prepareMaxMs);
    await bank.connector.prepare(bank.access, signal).catch((error: unknown) => {
      // Every run prepares again: a bank that is down or silent does not stop a connection from being made.
      if (!(error instanceof BankFault) && !signal.aborted) throw error;
    });
  }
  return created;
};

/** The row, or what will be one: folded from the stream where the projection has not got there yet. */
const connectionRow = async (
  { store, pool }: Commands,
  command: CreateConnectionV1,
  connectionId: string,
): Promise<ConnectionRow> => {
  const { text, values } = connectionById(command, connectionId);
  const { rows } = await pool.query<ConnectionRow>(text, [...values]);
  if (rows[0] !== undefined) return rows[0];
  const history = await store.readStream<ConnectionEvent>(`connection-${connectionId}`);
  const folded = history.reduce<ReturnType<typeof applyToConnection>>(applyToConnection, undefined);
  if (folded === undefined) throw new Error(`connection ${connectionId} was deleted while it was opened`);
  return folded;
};
