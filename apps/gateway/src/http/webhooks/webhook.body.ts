import { webhookEventTypes, type WebhookEventType } from '@causeway/contracts';
import { MayBeLeftOut } from '@causeway/http';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsString, Length, Matches } from 'class-validator';
import { IsMetadata } from '../edge/metadata.rule.ts';

export class CreateWebhookBody {
  /** http is for hosts that a setting allows in development: the owner of the registrations knows them. */
  @IsString()
  @Length(1, 2048)
  @Matches(/^https?:\/\/[^\s]+$/, { message: 'url must be an https address' })
  url!: string;

  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsIn(webhookEventTypes, { each: true })
  events!: WebhookEventType[];

  @MayBeLeftOut()
  @IsMetadata()
  metadata?: Record<string, unknown>;
}
