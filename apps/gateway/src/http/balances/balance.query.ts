import { IsCalendarDate, IsCursor, IsLimit, IsTimestamp, IsUuid, MayBeLeftOut } from '@causeway/http';

export class ListBalancesQuery {
  @IsCursor() cursor?: string;
  @IsLimit(500) limit = 100;
  @MayBeLeftOut() @IsCalendarDate() dateGte?: string;
  @MayBeLeftOut() @IsCalendarDate() dateLt?: string;
  @MayBeLeftOut() @IsTimestamp() updatedAtGte?: string;
  @MayBeLeftOut() @IsUuid() accountId?: string;
  @MayBeLeftOut() @IsUuid() connectionId?: string;
  @MayBeLeftOut() @IsUuid() entityId?: string;
  @MayBeLeftOut() @IsTimestamp() asOf?: string;
}

export class BalanceHistoryQuery {
  @IsCursor() cursor?: string;
  @IsLimit(500) limit = 100;
  @IsUuid() accountId!: string;
  @IsCalendarDate() date!: string;
}
