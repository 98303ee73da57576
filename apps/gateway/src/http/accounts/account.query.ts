import { IsCurrency, IsCursor, IsFieldList, IsLimit, IsOneOf, IsUuid, MayBeLeftOut } from '@causeway/http';
import { accountFields, accountStatuses, accountTypes, fieldNamesOf } from '@causeway/read-models';

export class ListAccountsQuery {
  @IsCursor() cursor?: string;
  @IsLimit(500) limit = 100;
  @IsFieldList(fieldNamesOf(accountFields, 'list')) fields?: readonly string[];
  @MayBeLeftOut() @IsUuid() connectionId?: string;
  @MayBeLeftOut() @IsUuid() entityId?: string;
  @MayBeLeftOut() @IsOneOf(accountTypes) type?: string;
  @MayBeLeftOut() @IsCurrency() currency?: string;
  @MayBeLeftOut() @IsOneOf(accountStatuses) status?: string;
}

export class GetAccountQuery {
  @IsFieldList(fieldNamesOf(accountFields, 'single')) fields?: readonly string[];
}
