import type { DeletedEntityV1, DeleteEntityV1 } from '@causeway/contracts';
import { isKnown, type ConnectionOfEntity, type Environment } from '@causeway/domain/connections';
import type { Context } from '@causeway/event-sourcing';
import type { Reply } from '@causeway/messaging';
import { connectionsOfEntity } from '@causeway/read-models';
import type { Commands } from './commands.ts';
import { endConnection } from './delete-connection.ts';
import { problemOf } from './problems.ts';

/**
 * Answered when neither the entity nor its connections can be read any more, and the data keys of these are destroyed.
 * What a crash leaves undone after the event, the erasure does; or this command when it is given again.
 */
export const deleteEntity = async (
  commands: Commands,
  { organization, environment, entityId }: DeleteEntityV1,
  context: Context,
): Promise<Reply<DeletedEntityV1>> => {
  const connections = await connectionsOf(commands, organization, entityId);
  const command = { entityId, organization, environment, connections, at: commands.now() };
  const decision = await commands.aggregates.entity({ type: 'DeleteEntity', ...command }, context);
  const rejection = decision.outcome === 'rejected' ? decision.rejection : undefined;
  if (rejection !== undefined && rejection.code !== 'entity_deleted') {
    return { ok: false, problem: problemOf(rejection) };
  }
  await deleteConnectionsOf(commands, { organization, entityId }, context);
  await commands.untilHidden(`entity-${entityId}`);
  const connectionIds = rejection?.connectionIds ?? connections.map(({ connectionId }) => connectionId);
  return { ok: true, data: { entityId, connectionIds, before: rejection !== undefined } };
};

type Known = Readonly<{ organization: string; entityId: string }>;
type Shown = Readonly<{ id: string; environment: Environment }>;

const shownOf = async ({ pool, untilVisible }: Commands, { organization, entityId }: Known) => {
  await untilVisible();
  const { text, values } = connectionsOfEntity(organization, entityId);
  return (await pool.query<Shown>(text, [...values])).rows;
};

/** No stream lists them; what each of them is doing, its own says. */
const connectionsOf = async (
  commands: Commands,
  organization: string,
  entityId: string,
): Promise<readonly ConnectionOfEntity[]> => {
  const shown = await shownOf(commands, { organization, entityId });
  return Promise.all(
    shown.map(async ({ id, environment }) => {
      const { state } = await commands.aggregates.connectionNow(id);
      return { connectionId: id, environment, isSyncing: isKnown(state) && state.run !== null };
    }),
  );
};

/**
 * All that can be seen once the entity is deleted: one that is opened for it meanwhile is deleted by who opens it. Safe to
 * repeat.
 */
export const deleteConnectionsOf = async (commands: Commands, entity: Known, context: Context): Promise<void> => {
  const { organization } = entity;
  const shown = await shownOf(commands, entity);
  const end = ({ id: connectionId, environment }: Shown) =>
    endConnection(commands, { organization, environment, connectionId }, context);
  await Promise.all(shown.map(end));
  for (const { id } of shown.slice(-1)) await commands.untilHidden(`connection-${id}`);
};
