import { IsCursor, IsLimit, IsText, MayBeLeftOut } from '@causeway/http';

export class ListInstitutionsQuery {
  @IsCursor() cursor?: string;
  @IsLimit(500) limit = 100;

  /** Part of a name, an identifier, a portal's address or domain, in any case. */
  @MayBeLeftOut() @IsText(200) query?: string;
}
