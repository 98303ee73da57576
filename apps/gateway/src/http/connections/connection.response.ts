import { IsOneOf, IsShape, IsTimestamp, IsUuid, MayBeLeftOut } from '@causeway/http';
import { connectionStatuses, type ConnectionRow } from '@causeway/read-models';
import { IsObject, IsString } from 'class-validator';
import { setupOf, SetupResponse } from './setup.ts';

/** Either shape, told apart by `kind`. */
export class ConnectionResponse {
  @IsUuid()
  id!: string;

  @IsUuid()
  entityId!: string;

  @IsOneOf(connectionStatuses)
  status!: string;

  @IsTimestamp()
  createdAt!: string;

  @IsTimestamp()
  updatedAt!: string;

  @IsOneOf(['ready', 'setup'])
  kind!: string;

  @IsObject()
  metadata!: object;

  @MayBeLeftOut()
  @IsString()
  institutionId?: string;

  @MayBeLeftOut()
  @IsString()
  portalUrl?: string;

  @MayBeLeftOut()
  @IsString()
  institutionName?: string;

  @MayBeLeftOut()
  @IsString()
  errorCode?: string;

  @MayBeLeftOut()
  @IsString()
  errorMessage?: string;

  @MayBeLeftOut()
  @IsOneOf(['idle', 'syncing'])
  syncStatus?: string;

  @MayBeLeftOut()
  @IsTimestamp()
  lastSyncedAt?: string;

  @MayBeLeftOut()
  @IsShape(SetupResponse)
  setup?: SetupResponse;
}

/** Members that a connection may not have yet are left out until it has them. */
const whenAvailable = (members: Readonly<Record<string, string | null>>): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

export const connectionResponse = (row: ConnectionRow): ConnectionResponse => {
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
