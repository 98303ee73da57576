import { newestFirst, single, type Model, type Paging } from '../newest-first.ts';
import { equals, ownedBy, type Owner, type Query } from '../query.ts';
import type { ConnectionRow } from './row.ts';
import { connectionColumns } from './view.ts';

export type ConnectionFilters = Readonly<{
  status?: string | undefined;
  institutionId?: string | undefined;
  entityId?: string | undefined;
}>;

const model: Model<ConnectionRow> = {
  view: 'read_models.connections_v1',
  columns: connectionColumns,
  idColumn: 'id',
};

export const connectionsPage = (owner: Owner, filters: ConnectionFilters, paging: Paging): Query =>
  newestFirst(
    model,
    [
      ...ownedBy(owner),
      equals('status', 'text', filters.status),
      equals('institution_id', 'text', filters.institutionId),
      equals('entity_id', 'uuid', filters.entityId),
    ],
    paging,
  );

/** In both environments. */
export const connectionsOfEntity = (organization: string, entityId: string): Query => ({
  text: 'SELECT id, environment FROM read_models.connections_v1 WHERE organization = $1 AND entity_id = $2 ORDER BY id',
  values: [organization, entityId],
});

export const connectionById = (owner: Owner, id: string): Query =>
  single(model, [equals('id', 'uuid', id), ...ownedBy(owner)]);
