import { IsOneOf, IsShape, IsTimestamp, rule, type JsonSchema } from '@causeway/http';
import { deliveryStatuses, type DeliveryAttempt, type WebhookDeliveryRow } from '@causeway/read-models';
import { IsInt, IsOptional, IsString } from 'class-validator';
import { MetaResponse } from '../edge/meta.response.ts';

const attempt: JsonSchema = {
  type: 'object',
  required: ['at', 'statusCode', 'durationMs', 'error'],
  properties: {
    at: { type: 'string', format: 'date-time' },
    statusCode: { type: ['integer', 'null'], description: 'What the receiver answered.' },
    durationMs: { type: ['integer', 'null'], description: 'Null while it is under way, or where it was cut short.' },
    error: { type: ['string', 'null'], description: 'Why there is no answer: `timeout`, `econnrefused` and the like.' },
  },
};

const IsAttempts = (): PropertyDecorator =>
  rule('isAttempts', Array.isArray, 'must be a list of attempts', { type: 'array', items: attempt });

export class WebhookDeliveryResponse {
  @IsString() eventId!: string;
  @IsString() type!: string;
  @IsTimestamp() createdAt!: string;
  @IsOneOf(deliveryStatuses) status!: string;

  /** Null unless it is pending. */
  @IsOptional() @IsTimestamp() nextAttemptAt!: string | null;

  /** In their order. */
  @IsAttempts() attempts!: readonly DeliveryAttempt[];
}

export class RedeliveryResponse {
  /** How many deliveries begin their schedule anew. */
  @IsInt() queued!: number;
  @IsShape(MetaResponse) meta!: MetaResponse;
}

export const deliveryResponse = (row: WebhookDeliveryRow): WebhookDeliveryResponse => ({
  eventId: row.eventId,
  type: row.type,
  createdAt: row.createdAt,
  status: row.status,
  nextAttemptAt: row.nextAttemptAt,
  attempts: row.attempts,
});
