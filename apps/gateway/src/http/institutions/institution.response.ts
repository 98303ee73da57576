import type { Institution } from '@causeway/bank-connectors';
import { IsOneOf, MayBeLeftOut } from '@causeway/http';
import { IsArray, IsString, IsUrl } from 'class-validator';

export class InstitutionResponse {
  @IsString() institutionId!: string;
  @IsString() name!: string;
  @IsUrl() canonicalPortalUrl!: string;
  @IsArray() @IsUrl({}, { each: true }) additionalPortalUrls!: readonly string[];
  @IsUrl() setupGuideUrl!: string;
  @IsOneOf(['live', 'pending']) status!: string;
  @IsArray() @IsString({ each: true }) alternativeNames!: readonly string[];
  @MayBeLeftOut() @IsUrl() logoUrl?: string;
}

export const institutionResponse = (institution: Institution): InstitutionResponse => ({
  institutionId: institution.institutionId,
  name: institution.name,
  canonicalPortalUrl: institution.canonicalPortalUrl,
  additionalPortalUrls: institution.additionalPortalUrls,
  setupGuideUrl: institution.setupGuideUrl,
  status: institution.status,
  alternativeNames: institution.alternativeNames,
  ...(institution.logoUrl === null ? {} : { logoUrl: institution.logoUrl }),
});
