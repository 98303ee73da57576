import type { CreateEntityV1 } from '@causeway/contracts';
import type { EntityEvent } from '@causeway/domain/connections';
import type { Context, Recorded } from '@causeway/event-sourcing';
import type { Reply } from '@causeway/messaging';
import type { EntityRow } from '@causeway/read-models';
import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';
import { applyToEntity } from '../projections/entities/entities.ts';
import type { Commands } from './commands.ts';
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
): Promise<Reply<EntityRow>> => {
  const { organization, externalEntityId, name, contactEmails, metadata } = command;
  const at = commands.now();
  const entityId = await commands.names.claim(['entity', organization, externalEntityId], uuidV7(), at, context);
  const { entities } = commands.quotas;
  const isNew = (await commands.store.readStream(`entity-${entityId}`, { limit: 1 })).length === 0;
  if (isNew && !(await entities.admits(command, entityId))) return { ok: false, problem: entities.problem };
  const its = { organization, externalEntityId, isDefaultOrgEntity: false, registeredAt: at };
  const entity = { ...its, name, contactEmails, metadata };
  const decision = await commands.aggregates.entity({ type: 'RegisterEntity', entityId, entity }, context);
  // Also before a refusal: whoever hears of a duplicate looks for the one that has the name.
  await commands.untilVisible();
  await entities.settle(command, entityId);
  if (decision.outcome === 'rejected') return { ok: false, problem: problemOf(decision.rejection) };
  return { ok: true, data: await entityRow(commands, entityId) };
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
  await commands.names.claim(['entity', organization, entityId], entityId, createdAt, context);
  const entity = { ...its, ...nothing };
  await commands.aggregates.entity({ type: 'RegisterEntity', entityId, entity }, context);
};

/** The row as the stream has it, whether the projection has got there or not. */
const entityRow = async ({ store }: Commands, entityId: string): Promise<EntityRow> => {
  const history: readonly Recorded<EntityEvent>[] = await store.readStream<EntityEvent>(`entity-${entityId}`);
  const row = history.reduce<EntityRow | undefined>(applyToEntity, undefined);
  if (row === undefined) throw new Error(`entity ${entityId} was registered and is not there`);
  return row;
};
