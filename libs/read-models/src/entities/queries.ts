import { newestFirst, single, type Model, type Paging } from '../newest-first.ts';
import { equals, type Query } from '../query.ts';
import type { EntityRow } from './row.ts';
import { entityColumns } from './view.ts';

const model: Model<EntityRow> = { view: 'read_models.entities_v1', columns: entityColumns, idColumn: 'entity_id' };

/** Entities belong to the organization, not to an environment. */
export const entitiesPage = (organization: string, externalEntityId: string | undefined, paging: Paging): Query =>
  newestFirst(
    model,
    [equals('organization', 'text', organization), equals('external_entity_id', 'text', externalEntityId)],
    paging,
  );

export const entityById = (organization: string, entityId: string): Query =>
  single(model, [equals('entity_id', 'uuid', entityId), equals('organization', 'text', organization)]);
