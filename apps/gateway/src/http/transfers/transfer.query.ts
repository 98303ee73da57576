import { IsCursor, IsFieldList, IsLimit, IsOneOf, IsTimestamp, IsUuid, MayBeLeftOut } from '@causeway/http';
import { transferStatuses, type TransferStatus } from '@causeway/read-models';
import { singleTransferFields } from './transfer.response.ts';

export class ListTransfersQuery {
  @IsCursor()
  cursor?: string;

  @IsLimit(100)
  limit = 50;

  @MayBeLeftOut()
  @IsOneOf(transferStatuses)
  status?: TransferStatus;

  /** The source, or the destination of an internal one. */
  @MayBeLeftOut()
  @IsUuid()
  accountId?: string;

  @MayBeLeftOut()
  @IsTimestamp()
  createdAtGte?: string;

  @MayBeLeftOut()
  @IsTimestamp()
  createdAtLt?: string;
}

export class GetTransferQuery {
  @IsFieldList(singleTransferFields)
  fields?: readonly string[];
}
