import {
  IsCalendarDate,
  IsCursor,
  IsFieldList,
  IsLimit,
  IsOneOf,
  IsTimestamp,
  IsUuid,
  MayBeLeftOut,
} from '@causeway/http';
import {
  fieldNamesOf,
  transactionFields,
  transactionRails,
  transactionSorts,
  transactionStatuses,
  type TransactionSort,
} from '@causeway/read-models';

const listFields = fieldNamesOf(transactionFields, 'list');

export class ListTransactionsQuery {
  @IsCursor() cursor?: string;
  @IsLimit(500) limit = 100;
  @MayBeLeftOut() @IsOneOf(transactionSorts) sort: TransactionSort = '-postedDate';
  @IsFieldList(listFields) fields?: readonly string[];
  @MayBeLeftOut() @IsUuid() accountId?: string;
  @MayBeLeftOut() @IsUuid() connectionId?: string;
  @MayBeLeftOut() @IsUuid() entityId?: string;
  @MayBeLeftOut() @IsOneOf(transactionStatuses) status?: string;
  @MayBeLeftOut() @IsOneOf(transactionRails) rail?: string;
  @MayBeLeftOut() @IsCalendarDate() postedDateGte?: string;
  @MayBeLeftOut() @IsCalendarDate() postedDateLt?: string;
  @MayBeLeftOut() @IsTimestamp() asOf?: string;
}

export class SyncTransactionsQuery {
  @IsCursor() cursor?: string;
  @IsLimit(500) limit = 100;
  @IsFieldList(listFields) fields?: readonly string[];
  @MayBeLeftOut() @IsUuid() accountId?: string;
  @MayBeLeftOut() @IsUuid() connectionId?: string;
}

export class GetTransactionQuery {
  @IsFieldList(fieldNamesOf(transactionFields, 'single')) fields?: readonly string[];
  @MayBeLeftOut() @IsTimestamp() asOf?: string;
}

export class TransactionHistoryQuery {
  @IsCursor() cursor?: string;
  @IsLimit(500) limit = 100;
}
