import { columnNames, type Columns } from '../columns.ts';
import { viewStatements, type TableName } from '../view.ts';
import type { EntityRow } from './row.ts';

/** What the owner's table `entities` must have. Key: entity_id. Read by (organization, created_at, entity_id). */
export const entityColumns: Columns<EntityRow> = {
  organization: 'text',
  entityId: 'uuid',
  externalEntityId: 'text',
  isDefaultOrgEntity: 'boolean',
  name: 'text',
  contactEmails: 'text[]',
  metadata: 'jsonb',
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
};

export const entitiesView = (table: TableName): readonly string[] =>
  viewStatements('entities_v1', `SELECT ${columnNames(entityColumns).join(', ')} FROM ${table('entities')}`);
