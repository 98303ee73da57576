import { IsCursor, IsLimit, IsOneOf, MayBeLeftOut } from '@causeway/http';
import { deliveryStatuses, type DeliveryStatus } from '@causeway/read-models';

export class ListWebhooksQuery {
  @IsCursor() cursor?: string;
  @IsLimit(500) limit = 100;
}

export class ListDeliveriesQuery {
  @IsCursor() cursor?: string;
  @IsLimit(500) limit = 100;
  @MayBeLeftOut() @IsOneOf(deliveryStatuses) status?: DeliveryStatus;
}
