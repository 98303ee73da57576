import { IsString, IsUUID, Length, Matches, ValidateIf } from 'class-validator';
import { mayBeLeftOut } from '../edge/metadata.rule.ts';

/** One of the two names the bank; with both, the portal is one of the institution's. */
export class CreateConnectionBody {
  @ValidateIf(
    ({ portalUrl, institutionId }: CreateConnectionBody) => portalUrl === undefined || institutionId !== undefined,
  )
  @IsString({ message: 'institutionId must be a string; institutionId or portalUrl is required' })
  @Length(1, 100)
  institutionId?: string;

  @ValidateIf(mayBeLeftOut)
  @IsString()
  @Length(1, 2048)
  @Matches(/^https:\/\//i, { message: 'portalUrl must be an https address' })
  portalUrl?: string;

  @ValidateIf(mayBeLeftOut)
  @IsUUID('all')
  entityId?: string;
}
