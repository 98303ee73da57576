import type { EntityEvent } from '@causeway/domain/connections';
import { categoryOf, idOf, type Recorded, type Sequenced } from '@causeway/event-sourcing';
import { rowProjection } from '@causeway/projections';
import { entitiesView, entityColumns, type EntityRow } from '@causeway/read-models';

export const applyToEntity = (_: EntityRow | undefined, event: Recorded<EntityEvent>): EntityRow => {
  const { registeredAt, ...entity } = event.data;
  return { ...entity, entityId: idOf(event.stream), createdAt: registeredAt, updatedAt: registeredAt };
};

export const entities = rowProjection<EntityRow, EntityEvent>({
  name: 'entities',
  version: 1,
  table: 'entities',
  columns: entityColumns,
  key: 'entityId',
  keysOf: (event: Sequenced) => (categoryOf(event.stream) === 'entity' ? [idOf(event.stream)] : []),
  opens: (event) => event.type === 'EntityRegistered',
  apply: applyToEntity,
  indexes: ['(organization, created_at, entity_id)', '(organization, external_entity_id)'],
  views: (table) => entitiesView(table),
});
