import {
  IsCursor,
  IsFieldList,
  IsLimit,
  IsOneOf,
  IsText,
  IsTimestamp,
  IsUuid,
  MayBeLeftOut,
  rule,
} from '@causeway/http';
import { transferStatuses, type TransferStatus } from '@causeway/read-models';
import { isKey, keyMessage } from './idempotency-key.ts';
import { singleTransferFields } from './single-transfer.response.ts';

const IsIdempotencyKey = (): PropertyDecorator =>
  rule('isIdempotencyKey', (value) => typeof value === 'string' && isKey(value), keyMessage, {
    ...{ type: 'string', minLength: 1, maxLength: 255 },
  });

export class ListTransfersQuery {
  @IsCursor() cursor?: string;
  @IsLimit(100) limit = 50;
  @MayBeLeftOut() @IsOneOf(transferStatuses) status?: TransferStatus;

  /** The source, or the destination of an internal one. */
  @MayBeLeftOut() @IsUuid() accountId?: string;
  @MayBeLeftOut() @IsTimestamp() createdAtGte?: string;
  @MayBeLeftOut() @IsTimestamp() createdAtLt?: string;
  @MayBeLeftOut() @IsText(140) clientReference?: string;

  /** Of the request that ordered it. */
  @MayBeLeftOut() @IsIdempotencyKey() idempotencyKey?: string;
}

export class GetTransferQuery {
  @IsFieldList(singleTransferFields) fields?: readonly string[];
}
