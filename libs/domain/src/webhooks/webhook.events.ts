/**
 * What can have happened to a webhook registration. These names and shapes are on disk for good: add a case, or a V2
 * beside a case; never change one.
 */
export type WebhookEvent =
  | Readonly<{ type: 'WebhookRegistered'; data: RegisteredWebhook }>
  /** `eventId`: of the notification that its receiver will get. */
  | Readonly<{ type: 'WebhookTestQueued'; data: Readonly<{ eventId: string; queuedAt: string }> }>
  /** By the service: the receiver answered 410, or every delivery failed for `failingMaxMs`. */
  | Readonly<{ type: 'WebhookDisabled'; data: Readonly<{ reason: DisableReason; disabledAt: string }> }>
  | Readonly<{ type: 'WebhookDeleted'; data: Readonly<{ deletedAt: string }> }>;

export type DisableReason = 'gone' | 'failing';

export type RegisteredWebhook = Readonly<{
  organization: string;
  environment: 'live' | 'test';
  url: string;
  /** Types of notifications it wants. */
  events: readonly string[];
  metadata: Readonly<Record<string, unknown>> | null;
  /** The signing secret under the webhook's data key, base64. */
  sealedSecret: string;
  /** Its last four characters. */
  secretHint: string;
  registeredAt: string;
}>;
