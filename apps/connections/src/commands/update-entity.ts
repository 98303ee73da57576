import type { EntityV1, UpdateEntityV1 } from '@causeway/contracts';
import type { EntityDetails } from '@causeway/domain/connections';
import type { Context } from '@causeway/event-sourcing';
import type { Reply } from '@causeway/messaging';
import type { Commands } from './commands.ts';
import { entityAnswer } from './entity-answer.ts';
import { problemOf } from './problems.ts';

export const updateEntity = async (
  commands: Commands,
  { organization, entityId, ...given }: UpdateEntityV1,
  context: Context,
): Promise<Reply<EntityV1>> => {
  const command = { entityId, organization, details: detailsOf(given), at: commands.now() };
  const decision = await commands.aggregates.entity({ type: 'ChangeEntity', ...command }, context);
  if (decision.outcome === 'rejected') return { ok: false, problem: problemOf(decision.rejection) };
  await commands.untilVisible();
  return { ok: true, data: await entityAnswer(commands, entityId) };
};

const detailsOf = ({ name, contactEmails, metadata }: Partial<EntityDetails>): Partial<EntityDetails> => ({
  ...(name === undefined ? {} : { name }),
  ...(contactEmails === undefined ? {} : { contactEmails }),
  ...(metadata === undefined ? {} : { metadata }),
});
