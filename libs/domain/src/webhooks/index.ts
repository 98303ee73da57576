export { webhook } from './webhook.ts';
export type { Webhook, WebhookChange, WebhookCommand, WebhookOwner, WebhookRejection } from './webhook.ts';
export type { DisableReason, RegisteredWebhook, SealedSecret, WebhookDetails, WebhookEvent } from './webhook.events.ts';
export { afterAttempt, failingMaxMs, oldSecretSignsMs, retryPausesMs } from './retry.ts';
export type { AttemptOutcome, NextStep } from './retry.ts';
