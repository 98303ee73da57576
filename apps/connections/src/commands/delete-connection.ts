import type { ConnectionRefV1, DeletedConnectionV1 } from '@causeway/contracts';
import type { Context } from '@causeway/event-sourcing';
import type { Reply } from '@causeway/messaging';
import type { Commands } from './commands.ts';
import { problemOf } from './problems.ts';

/**
 * Answered when the connection and its accounts cannot be read any more and the data key is destroyed. What a crash
 * leaves undone after the event, the erasure does; or this command when it is given again, so that it is done by then.
 */
export const deleteConnection = async (
  commands: Commands,
  command: ConnectionRefV1,
  context: Context,
): Promise<Reply<DeletedConnectionV1>> => {
  const reply = await endConnection(commands, command, context);
  if (reply.ok) await commands.untilHidden(`connection-${command.connectionId}`);
  return reply;
};

/** The same, but that it may be seen for a moment. */
export const endConnection = async (
  { aggregates, dataKeys, now }: Commands,
  { organization, environment, connectionId }: ConnectionRefV1,
  context: Context,
): Promise<Reply<DeletedConnectionV1>> => {
  const command = { connectionId, at: now(), scope: { organization, environment } };
  const decision = await aggregates.connection({ type: 'DeleteConnection', ...command }, context);
  const before = decision.outcome === 'rejected' && decision.rejection.code === 'already_deleted';
  if (decision.outcome === 'rejected' && !before) return { ok: false, problem: problemOf(decision.rejection) };
  await dataKeys.destroy(connectionId);
  return { ok: true, data: { connectionId, before } };
};
