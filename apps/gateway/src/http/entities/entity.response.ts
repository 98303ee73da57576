import type { EntityV1 } from '@causeway/contracts';
import { IsTimestamp, IsUuid, MayBeLeftOut } from '@causeway/http';
import { IsArray, IsBoolean, IsString } from 'class-validator';
import { IsMetadata } from '../edge/metadata.rule.ts';

export class EntityResponse {
  @IsUuid() entityId!: string;
  @IsString() externalEntityId!: string;
  @IsBoolean() isDefaultOrgEntity!: boolean;
  @IsTimestamp() createdAt!: string;
  @IsTimestamp() updatedAt!: string;
  @MayBeLeftOut() @IsString() name?: string;
  @IsArray() @IsString({ each: true }) contactEmails!: readonly string[];
  @IsMetadata() metadata!: Readonly<Record<string, unknown>>;
}

export const entityResponse = (entity: EntityV1): EntityResponse => ({
  entityId: entity.entityId,
  externalEntityId: entity.externalEntityId,
  isDefaultOrgEntity: entity.isDefaultOrgEntity,
  createdAt: entity.createdAt,
  updatedAt: entity.updatedAt,
  ...(entity.name === null ? {} : { name: entity.name }),
  contactEmails: entity.contactEmails,
  metadata: entity.metadata ?? {},
});
