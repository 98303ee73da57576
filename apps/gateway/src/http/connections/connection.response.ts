import type { ConnectionRow } from '@causeway/read-models';
import { setupOf } from './setup.ts';

/** Members that a connection may not have yet are left out until it has them. */
const whenAvailable = (members: Readonly<Record<string, string | null>>): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

export const connectionResponse = (row: ConnectionRow): object => {
  const { id, entityId, status, syncStatus, createdAt, updatedAt, kind } = row;
  const { institutionId, portalUrl, institutionName, lastSyncedAt, errorCode, errorMessage } = row;
  const both = {
    ...{ id, entityId, status, createdAt, updatedAt, kind, metadata: {} },
    ...whenAvailable({ institutionId, portalUrl, institutionName, errorCode, errorMessage }),
  };
  return kind === 'setup'
    ? { ...both, setup: setupOf(row) }
    : { ...both, syncStatus, ...whenAvailable({ lastSyncedAt }) };
};
