import type { ConnectionAnswerV1, ConnectionRefV1 } from '@causeway/contracts';
import type { Context } from '@causeway/event-sourcing';
import type { Reply } from '@causeway/messaging';
import type { Commands } from './commands.ts';
import { problemOf } from './problems.ts';

/**
 * Answered when the connection and its accounts cannot be read any more and the data key is destroyed. What a crash
 * leaves undone after the event, the erasure does.
 */
export const deleteConnection = async (
  commands: Commands,
  { organization, environment, connectionId }: ConnectionRefV1,
  context: Context,
): Promise<Reply<ConnectionAnswerV1>> => {
  const command = { connectionId, at: commands.now(), scope: { organization, environment } };
  const decision = await commands.aggregates.connection({ type: 'DeleteConnection', ...command }, context);
  if (decision.outcome === 'rejected') return { ok: false, problem: problemOf(decision.rejection) };
  await commands.dataKeys.destroy(connectionId);
  await commands.untilVisible();
  return { ok: true, data: { connectionId } };
};
