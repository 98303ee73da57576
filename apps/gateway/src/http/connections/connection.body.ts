import { AlsoSchema, IsUuid, MayBeLeftOut } from '@causeway/http';
import { IsString, Length, Matches, ValidateIf } from 'class-validator';

/** One of the two names the bank; with both, the portal is one of the institution's. */
@AlsoSchema({ anyOf: [{ required: ['institutionId'] }, { required: ['portalUrl'] }] })
export class CreateConnectionBody {
  @ValidateIf(
    ({ portalUrl, institutionId }: CreateConnectionBody) => portalUrl === undefined || institutionId !== undefined,
  )
  @IsString({ message: 'institutionId must be a string; institutionId or portalUrl is required' })
  @Length(1, 100)
  institutionId?: string;

  @MayBeLeftOut()
  @IsString()
  @Length(1, 2048)
  @Matches(/^https:\/\//i, { message: 'portalUrl must be an https address' })
  portalUrl?: string;
  @MayBeLeftOut() @IsUuid() entityId?: string;
}
