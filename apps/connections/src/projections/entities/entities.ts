import type { EntityEvent } from '@causeway/domain/connections';
import { assertNever, categoryOf, idOf, type Sequenced } from '@causeway/event-sourcing';
import { rowProjection } from '@causeway/projections';
import { entitiesView, entityColumns, type EntityRow } from '@causeway/read-models';

export const applyToEntity = (
  row: EntityRow | undefined,
  event: EntityEvent,
  entityId: string,
): EntityRow | undefined => {
  switch (event.type) {
    case 'EntityRegistered': {
      const { registeredAt, ...entity } = event.data;
      return { ...entity, entityId, createdAt: registeredAt, updatedAt: registeredAt };
    }
    case 'EntityChanged':
      return row && { ...row, ...event.data.details, updatedAt: event.data.changedAt };
    case 'EntityDeleted':
      return undefined;
    default:
      return assertNever(event);
  }
};

export const entities = rowProjection<EntityRow, EntityEvent>({
  name: 'entities',
  version: 2,
  table: 'entities',
  columns: entityColumns,
  key: 'entityId',
  keysOf: (event: Sequenced) => (categoryOf(event.stream) === 'entity' ? [idOf(event.stream)] : []),
  opens: (event) => event.type === 'EntityRegistered',
  closes: ({ type }) => type === 'EntityDeleted',
  apply: applyToEntity,
  indexes: ['(organization, created_at, entity_id)', '(organization, external_entity_id)'],
  views: (table) => entitiesView(table),
});
