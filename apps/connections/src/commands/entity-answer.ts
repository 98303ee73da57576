import type { EntityV1 } from '@causeway/contracts';
import type { EntityEvent } from '@causeway/domain/connections';
import type { EntityRow } from '@causeway/read-models';
import { applyToEntity } from '../projections/entities/entities.ts';
import type { Commands } from './commands.ts';

/** An entity as it is answered: as the stream has it, whether the projection has got there or not. */
export const entityAnswer = async ({ store }: Pick<Commands, 'store'>, entityId: string): Promise<EntityV1> => {
  const history = await store.readStream<EntityEvent>(`entity-${entityId}`);
  const row = history.reduce<EntityRow | undefined>((last, event) => applyToEntity(last, event, entityId), undefined);
  if (row === undefined) throw new Error(`entity ${entityId} was deleted while it was answered`);
  const { externalEntityId, isDefaultOrgEntity, name, contactEmails, metadata, createdAt, updatedAt } = row;
  return { entityId, externalEntityId, isDefaultOrgEntity, name, contactEmails, metadata, createdAt, updatedAt };
};
