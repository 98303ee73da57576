import type { ConnectionV1 } from '@causeway/contracts';
import { IsOneOf, IsShape, IsTimestamp, IsUuid, MayBeLeftOut } from '@causeway/http';
import { connectionStatuses } from '@causeway/read-models';
import { IsObject, IsString } from 'class-validator';
import { setupResponse, SetupResponse } from './setup.response.ts';

/** Either shape, told apart by `kind`. */
export class ConnectionResponse {
  @IsUuid() id!: string;
  @IsUuid() entityId!: string;
  @IsOneOf(connectionStatuses) status!: string;
  @IsTimestamp() createdAt!: string;
  @IsTimestamp() updatedAt!: string;
  @IsOneOf(['ready', 'setup']) kind!: string;
  @IsObject() metadata!: object;
  @MayBeLeftOut() @IsString() institutionId?: string;
  @MayBeLeftOut() @IsString() portalUrl?: string;
  @MayBeLeftOut() @IsString() institutionName?: string;
  @MayBeLeftOut() @IsString() errorCode?: string;
  @MayBeLeftOut() @IsString() errorMessage?: string;
  @MayBeLeftOut() @IsOneOf(['idle', 'syncing']) syncStatus?: string;
  @MayBeLeftOut() @IsTimestamp() lastSyncedAt?: string;
  @MayBeLeftOut() @IsShape(SetupResponse) setup?: SetupResponse;
}

/** Members that a connection may not have yet are left out until it has them. */
const whenAvailable = (members: Readonly<Record<string, string | null>>): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

const shared = ({ id, entityId, status, createdAt, updatedAt, ...rest }: ConnectionV1) => {
  const { institutionId, portalUrl, institutionName, errorCode, errorMessage } = rest;
  const where = whenAvailable({ institutionId, portalUrl, institutionName, errorCode, errorMessage });
  return { id, entityId, status, createdAt, updatedAt, metadata: {}, ...where };
};

/** What is said of the setup, whatever shape the connection has by now. */
export const setupRecord = (connection: ConnectionV1): ConnectionResponse => ({
  ...shared(connection),
  kind: 'setup',
  setup: setupResponse(connection.setup),
});

export const connectionResponse = (connection: ConnectionV1): ConnectionResponse => {
  const { kind, syncStatus, lastSyncedAt } = connection;
  if (kind === 'setup') return setupRecord(connection);
  return { ...shared(connection), kind, syncStatus, ...whenAvailable({ lastSyncedAt }) };
};
