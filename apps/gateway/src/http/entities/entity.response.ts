import { IsTimestamp, IsUuid, MayBeLeftOut } from '@causeway/http';
import type { EntityRow } from '@causeway/read-models';
import { IsArray, IsBoolean, IsString } from 'class-validator';
import { IsMetadata } from '../edge/metadata.rule.ts';

export class EntityResponse {
  @IsUuid()
  entityId!: string;

  @IsString()
  externalEntityId!: string;

  @IsBoolean()
  isDefaultOrgEntity!: boolean;

  @IsTimestamp()
  createdAt!: string;

  @IsTimestamp()
  updatedAt!: string;

  @MayBeLeftOut()
  @IsString()
  name?: string;

  @IsArray()
  @IsString({ each: true })
  contactEmails!: readonly string[];

  @IsMetadata()
  metadata!: Readonly<Record<string, unknown>>;
}

export const entityResponse = (row: EntityRow): EntityResponse => ({
  entityId: row.entityId,
  externalEntityId: row.externalEntityId,
  isDefaultOrgEntity: row.isDefaultOrgEntity,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  ...(row.name === null ? {} : { name: row.name }),
  contactEmails: row.contactEmails,
  metadata: row.metadata ?? {},
});
