export { webhook } from './webhook.ts';
export type { Webhook, WebhookCommand, WebhookOwner, WebhookRejection } from './webhook.ts';
export type { DisableReason, RegisteredWebhook, WebhookEvent } from './webhook.events.ts';
export { afterAttempt, failingMaxMs, retryPausesMs } from './retry.ts';
export type { AttemptOutcome, NextStep } from './retry.ts';
