import { IsCursor, IsLimit } from '@causeway/http';

export class ListWebhooksQuery {
  @IsCursor()
  cursor?: string;

  @IsLimit(500)
  limit = 100;
}
