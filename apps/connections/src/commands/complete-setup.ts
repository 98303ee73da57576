import type { ConnectionRefV1, ConnectionV1 } from '@causeway/contracts';
import type { Context } from '@causeway/event-sourcing';
import type { Reply } from '@causeway/messaging';
import type { Commands } from './commands.ts';
import { connectionAnswer } from './connection-answer.ts';
import { problemOf } from './problems.ts';

/** The user was made at the bank, the integrator says; a login shows. */
export const completeSetup = async (
  commands: Commands,
  { organization, environment, connectionId }: ConnectionRefV1,
  context: Context,
): Promise<Reply<ConnectionV1>> => {
  const scope = { organization, environment };
  const its = { connectionId, at: commands.now(), scope, loginId: context.metadata.causationId };
  const decision = await commands.aggregates.connection({ type: 'CompleteSetup', ...its }, context);
  if (decision.outcome === 'rejected') return { ok: false, problem: problemOf(decision.rejection) };
  await commands.untilVisible();
  return { ok: true, data: await connectionAnswer(commands, { ...scope, connectionId }, decision.events) };
};
