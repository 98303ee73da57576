import { IsShape, IsUuid } from '@causeway/http';
import { MetaResponse } from '../edge/meta.response.ts';

/** The answer to what has begun, or ended, with a connection. */
export class ConnectionRefResponse {
  @IsUuid() connectionId!: string;
  @IsShape(MetaResponse) meta!: MetaResponse;
}
