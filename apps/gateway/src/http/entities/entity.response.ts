import type { EntityRow } from '@causeway/read-models';

export const entityResponse = (row: EntityRow): object => ({
  entityId: row.entityId,
  externalEntityId: row.externalEntityId,
  isDefaultOrgEntity: row.isDefaultOrgEntity,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  ...(row.name === null ? {} : { name: row.name }),
  contactEmails: row.contactEmails,
  metadata: row.metadata ?? {},
});
