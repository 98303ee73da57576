import type { ConnectionAnswerV1, ConnectionRefV1 } from '@causeway/contracts';
import type { Context } from '@causeway/event-sourcing';
import type { Reply } from '@causeway/messaging';
import type { Commands } from './commands.ts';
import { problemOf } from './problems.ts';

export const startSync = async (
  commands: Commands,
  { organization, environment, connectionId }: ConnectionRefV1,
  context: Context,
): Promise<Reply<ConnectionAnswerV1>> => {
  const scope = { organization, environment };
  const its = { connectionId, at: commands.now(), scope, runId: context.metadata.causationId };
  const cooldownSeconds = commands.cooldownSeconds[environment];
  const decision = await commands.aggregates.connection(
    { type: 'StartSync', ...its, trigger: 'caller', cooldownSeconds },
    context,
  );
  if (decision.outcome === 'rejected') return { ok: false, problem: problemOf(decision.rejection) };
  await commands.untilVisible();
  return { ok: true, data: { connectionId } };
};
