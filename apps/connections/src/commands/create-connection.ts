import { BankFault } from '@causeway/bank-connectors';
import type { CreateConnectionV1, CreatedConnectionV1 } from '@causeway/contracts';
import type { Context } from '@causeway/event-sourcing';
import type { Reply } from '@causeway/messaging';
import { v7 as uuidV7 } from 'uuid';
import { bankOf } from './bank.ts';
import type { Commands } from './commands.ts';
import { connectionAnswer } from './connection-answer.ts';
import { defaultEntityId } from './create-entity.ts';
import { delegatedUser } from './delegated-user.ts';
import { deleteConnection } from './delete-connection.ts';
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
  if (!(await hasEntity(commands, command.organization, entityId))) return noEntity;
  const wanted = { command, entityId, destination: destination.found };
  const name = connectionName(command, entityId, destination.found.portal);
  const { connectionId, isNew } = await claimed(commands, name, context);
  const { connections } = commands.quotas;
  if (isNew && !(await connections.admits(command, connectionId))) return { ok: false, problem: connections.problem };
  const created = await open(commands, connectionId, wanted, context);
  const { organization, environment } = command;
  const its = { organization, environment, connectionId };
  if (created) {
    // Deleted meanwhile, it may not have taken this one with it.
    if (!(await hasEntity(commands, organization, entityId))) {
      await deleteConnection(commands, its, context);
      return noEntity;
    }
    await commands.untilVisible();
    await connections.settle(command, connectionId);
  }
  return { ok: true, data: { connection: await connectionAnswer(commands, its), created } };
};

const noEntity = { ok: false, problem: invalid('entityId', 'names no entity') } as const;

/** How long a request that creates a connection waits for the bank. */
const prepareMaxMs = 3000;

type Wanted = Readonly<{ command: CreateConnectionV1; entityId: string; destination: Destination }>;

const hasEntity = async ({ aggregates }: Commands, organization: string, entityId: string): Promise<boolean> => {
  const state = await aggregates.entityNow(entityId);
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
  const needsSetup = connector === null || commands.connectors[connector]?.isDelegated === true;
  const instructions = needsSetup ? delegatedUser(connectionId, connector !== null) : null;
  const its = { connectionId, at: now(), scope, entityId, portal, connector, instructions, firstRunId: uuidV7() };
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
