import { IsCursor, IsLimit, IsOneOf, IsText, IsUuid, MayBeLeftOut } from '@causeway/http';
import { connectionStatuses, type ConnectionStatus } from '@causeway/read-models';

export class ListConnectionsQuery {
  @IsCursor() cursor?: string;
  @IsLimit(500) limit = 100;
  @MayBeLeftOut() @IsOneOf(connectionStatuses) status?: ConnectionStatus;
  @MayBeLeftOut() @IsText(100) institutionId?: string;
  @MayBeLeftOut() @IsUuid() entityId?: string;
}
