import type { ConnectionV1, Scope } from '@causeway/contracts';
import type { ConnectionEvent } from '@causeway/domain/connections';
import { connectionById, type ConnectionRow } from '@causeway/read-models';
import { applyToConnection } from '../projections/connections/connections.ts';
import type { Commands } from './commands.ts';

/**
 * A connection as it is answered, after what was decided: the row, or, where the projection has not got there yet, what
 * will be one.
 */
export const connectionAnswer = async (
  { store, pool }: Pick<Commands, 'store' | 'pool'>,
  { organization, environment, connectionId }: Scope & Readonly<{ connectionId: string }>,
  decided: readonly ConnectionEvent[] = [],
): Promise<ConnectionV1> => {
  const after = (row: ConnectionRow | undefined, events: readonly ConnectionEvent[]) =>
    events.reduce((last, event) => applyToConnection(last, event, connectionId), row);
  const { text, values } = connectionById({ organization, environment }, connectionId);
  const { rows } = await pool.query<ConnectionRow>(text, [...values]);
  const shown =
    rows[0] === undefined
      ? after(undefined, await store.readStream<ConnectionEvent>(`connection-${connectionId}`))
      : after(rows[0], decided);
  if (shown === undefined) throw new Error(`connection ${connectionId} was deleted while it was answered`);
  return answerOf(shown);
};

const answerOf = (row: ConnectionRow): ConnectionV1 => {
  const { id, entityId, kind, institutionId, institutionName, portalUrl, status, syncStatus, lastSyncedAt } = row;
  const { errorCode, errorMessage, setup, createdAt, updatedAt } = row;
  const where = { entityId, institutionId, institutionName, portalUrl };
  return { id, kind, ...where, status, syncStatus, lastSyncedAt, errorCode, errorMessage, setup, createdAt, updatedAt };
};
