import type { CreateEntityV1, EntityV1 } from '@causeway/contracts';
import type { Context } from '@causeway/event-sourcing';
import type { Reply } from '@causeway/messaging';
import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';
import type { Commands } from './commands.ts';
import { entityAnswer } from './entity-answer.ts';
import type { Name } from './names.ts';
import { problemOf } from './problems.ts';

/** Namespace of the ids of default entities; the name in it is the organization. */
const defaultEntities = 'b6f3a1de-5b0f-4a53-9d0c-6f0b5f3c2a11';

export const defaultEntityId = (organization: string): string => uuidV5(organization, defaultEntities);

/**
 * Whoever claims the `externalEntityId` registers under the id it claimed. A claim that its request did not live to use
 * is used by the next one: there is one entity either way.
 */
export const createEntity = async (
  commands: Commands,
  command: CreateEntityV1,
  context: Context,
): Promise<Reply<EntityV1>> => {
  const { organization, externalEntityId, name, contactEmails, metadata } = command;
  const at = commands.now();
  const { entityId, isNew } = await claimed(commands, entityName(organization, externalEntityId), context);
  const { entities } = commands.quotas;
  if (isNew && !(await entities.admits(command, entityId))) return { ok: false, problem: entities.problem };
  const its = { organization, externalEntityId, isDefaultOrgEntity: false, registeredAt: at };
  const entity = { ...its, name, contactEmails, metadata };
  const decision = await commands.aggregates.entity({ type: 'RegisterEntity', entityId, entity }, context);
  // Also before a refusal: whoever hears of a duplicate looks for the one that has the name.
  await commands.untilVisible();
  await entities.settle(command, entityId);
  if (decision.outcome === 'rejected') return { ok: false, problem: problemOf(decision.rejection) };
  return { ok: true, data: await entityAnswer(commands, entityId) };
};

export const entityName = (organization: string, externalEntityId: string): Name => [
  ...(['entity', organization, externalEntityId] as const),
];

/** The erasure gives the name of a deleted entity back; until it has come so far, the next use of the name does. */
const claimed = async (commands: Commands, name: Name, context: Context) => {
  for (;;) {
    const at = commands.now();
    const entityId = await commands.names.claim(name, uuidV7(), at, context);
    const { status } = await commands.aggregates.entityNow(entityId);
    if (status !== 'deleted') return { entityId, isNew: status === 'none' };
    await commands.names.release(name, entityId, at, context);
  }
};

/** The entity that stands for the organization itself. Safe to repeat. */
export const createDefaultEntity = async (
  commands: Commands,
  { organization, createdAt }: Readonly<{ organization: string; createdAt: string }>,
  context: Context,
): Promise<void> => {
  const entityId = defaultEntityId(organization);
  const nothing = { name: null, contactEmails: [], metadata: null };
  const its = { organization, externalEntityId: entityId, isDefaultOrgEntity: true, registeredAt: createdAt };
  await commands.names.claim(entityName(organization, entityId), entityId, createdAt, context);
  const entity = { ...its, ...nothing };
  await commands.aggregates.entity({ type: 'RegisterEntity', entityId, entity }, context);
};
