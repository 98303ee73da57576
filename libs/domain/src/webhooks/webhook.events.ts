/**
 * What can have happened to a webhook registration. These names and shapes are on disk for good: add a case, or a V2
 * beside a case; never change one.
 */
export type WebhookEvent =
  | Readonly<{ type: 'WebhookRegistered'; data: RegisteredWebhook }>
  /** By its owner. What is not there stayed as it was. */
  | Readonly<{ type: 'WebhookChanged'; data: Readonly<{ change: Partial<WebhookDetails>; changedAt: string }> }>
  /** `rotationId`: of the command. The secret before signs as well for `oldSecretSignsMs`. */
  | Readonly<{ type: 'WebhookSecretRotated'; data: Readonly<{ rotationId: string; rotatedAt: string }> & SealedSecret }>
  /** `eventId`: of the notification that its receiver will get. */
  | Readonly<{ type: 'WebhookTestQueued'; data: Readonly<{ eventId: string; queuedAt: string }> }>
  | Readonly<{ type: 'WebhookDisabled'; data: Readonly<{ reason: DisableReason; disabledAt: string }> }>
  | Readonly<{ type: 'WebhookEnabled'; data: Readonly<{ enabledAt: string }> }>
  | Readonly<{ type: 'WebhookDeleted'; data: Readonly<{ deletedAt: string }> }>;

/** `gone`: the receiver answered 410. `failing`: every delivery failed for `failingMaxMs`. `owner`: its owner said so. */
export type DisableReason = 'gone' | 'failing' | 'owner';

/** What its owner may change. */
export type WebhookDetails = Readonly<{
  url: string;
  /** Types of notifications it wants. */
  events: readonly string[];
  metadata: Readonly<Record<string, unknown>> | null;
}>;

export type SealedSecret = Readonly<{
  /** The signing secret under the webhook's data key, base64. */
  sealedSecret: string;
  /** Its last four characters. */
  secretHint: string;
}>;

export type RegisteredWebhook = WebhookDetails &
  SealedSecret &
  Readonly<{ organization: string; environment: 'live' | 'test'; registeredAt: string }>;
