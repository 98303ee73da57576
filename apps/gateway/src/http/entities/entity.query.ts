import { IsCursor, IsLimit, IsText, MayBeLeftOut } from '@causeway/http';
import { externalEntityIdLengthMax } from './entity.body.ts';

export class ListEntitiesQuery {
  @IsCursor() cursor?: string;
  @IsLimit(500) limit = 100;
  @MayBeLeftOut() @IsText(externalEntityIdLengthMax) externalEntityId?: string;
}
