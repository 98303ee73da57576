import { webhookEventTypes, type WebhookV1 } from '@causeway/contracts';
import { IsShape, IsTimestamp, IsUuid } from '@causeway/http';
import { IsArray, IsBoolean, IsIn, IsString } from 'class-validator';
import { MetaResponse } from '../edge/meta.response.ts';
import { IsMetadata } from '../edge/metadata.rule.ts';

export class WebhookResponse {
  @IsUuid() id!: string;
  @IsString() url!: string;
  @IsArray() @IsIn(webhookEventTypes, { each: true }) events!: readonly string[];

  /** In full in the answer that makes it, masked on every read. */
  @IsString() secret!: string;
  @IsBoolean() active!: boolean;
  @IsTimestamp() createdAt!: string;
  @IsTimestamp() updatedAt!: string;
  @IsMetadata() metadata!: Readonly<Record<string, unknown>>;
}

export class WebhookWithSecretResponse {
  @IsShape(WebhookResponse) webhook!: WebhookResponse;
  @IsShape(MetaResponse) meta!: MetaResponse;
}

export class WebhookTestResponse {
  @IsString() eventId!: string;
  @IsShape(MetaResponse) meta!: MetaResponse;
}

export const webhookResponse = (row: WebhookV1, secret = `whsec_…${row.secretHint}`): WebhookResponse => ({
  id: row.id,
  url: row.url,
  events: row.events,
  secret,
  active: row.active,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  metadata: row.metadata ?? {},
});
