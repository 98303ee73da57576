import { webhookEventTypes, type WebhookEventType } from '@causeway/contracts';
import { IsTimestamp, MayBeLeftOut } from '@causeway/http';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsOptional,
  IsString,
  Length,
  Matches,
} from 'class-validator';
import { IsMetadata } from '../edge/metadata.rule.ts';

/** http is for hosts that a setting allows in development: the owner of the registrations knows them. */
const address = /^https?:\/\/[^\s]+$/;
const noAddress = { message: 'url must be an https address' };

export class CreateWebhookBody {
  @IsString() @Length(1, 2048) @Matches(address, noAddress) url!: string;
  @IsArray() @ArrayMinSize(1) @ArrayMaxSize(100) @IsIn(webhookEventTypes, { each: true }) events!: WebhookEventType[];
  @MayBeLeftOut() @IsMetadata() metadata?: Record<string, unknown>;
}

/** What is left out stays as it is. */
export class UpdateWebhookBody {
  @MayBeLeftOut() @IsString() @Length(1, 2048) @Matches(address, noAddress) url?: string;

  @MayBeLeftOut()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsIn(webhookEventTypes, { each: true })
  events?: WebhookEventType[];
  @MayBeLeftOut() @IsBoolean() active?: boolean;

  /** Null: none any more. */
  @IsOptional() @IsMetadata() metadata?: Record<string, unknown> | null;
}

export class RedeliverBody {
  @IsTimestamp() since!: string;
}
