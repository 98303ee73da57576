import { IsString } from 'class-validator';

export class MetaResponse {
  @IsString() requestId!: string;
}
