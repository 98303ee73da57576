import type { CommandContract, Scope } from './contract.ts';
import type { PublicKeyText } from './sealed.ts';
import type { Count, Timestamp, Uuid } from './values.ts';

export const webhooksCommands = 'causeway.webhooks.commands';

export const webhookEventTypes = [
  'connection.status_changed',
  'account.created',
  'account.updated',
  'transactions.sync_available',
  'transfer.status_changed',
  'test',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** A registration. The secret is never in it: `secretHint` is its last four characters. */
export type WebhookV1 = Readonly<{
  id: Uuid;
  url: string;
  events: readonly string[];
  secretHint: string;
  active: boolean;
  metadata: Readonly<Record<string, unknown>> | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}>;

export type RegisterWebhookV1 = Scope &
  Readonly<{
    url: string;
    events: readonly WebhookEventType[];
    metadata: Readonly<Record<string, unknown>> | null;
    /** Of a key for this command alone: what the secret in the reply is sealed to. */
    sealTo: PublicKeyText;
  }>;
/** `sealedSecret`: the secret in full. Such a reply is the only place that ever holds it so. */
export type RevealedWebhookV1 = Readonly<{ webhook: WebhookV1; sealedSecret: string }>;

/** Problems: 400 naming `url` for an address that webhooks may not reach. */
export const registerWebhook: CommandContract<RegisterWebhookV1, RevealedWebhookV1> = {
  type: 'webhooks.register-webhook.v1',
  topic: webhooksCommands,
  keyOf: ({ organization }) => organization,
};

export type WebhookRefV1 = Scope & Readonly<{ webhookId: Uuid }>;

/** What is left out stays as it is; `metadata` null: none any more. */
export type UpdateWebhookV1 = WebhookRefV1 &
  Readonly<{
    url?: string;
    events?: readonly WebhookEventType[];
    active?: boolean;
    metadata?: Readonly<Record<string, unknown>> | null;
  }>;

/** Problems: 404; 400 naming `url` for an address that webhooks may not reach. */
export const updateWebhook: CommandContract<UpdateWebhookV1, Readonly<{ webhook: WebhookV1 }>> = {
  type: 'webhooks.update-webhook.v1',
  topic: webhooksCommands,
  keyOf: ({ webhookId }) => webhookId,
};

/** `sealTo`: as for a registration. */
export type RotateWebhookSecretV1 = WebhookRefV1 & Readonly<{ sealTo: PublicKeyText }>;

/** Problems: 404. */
export const rotateWebhookSecret: CommandContract<RotateWebhookSecretV1, RevealedWebhookV1> = {
  type: 'webhooks.rotate-secret.v1',
  topic: webhooksCommands,
  keyOf: ({ webhookId }) => webhookId,
};

/** How many deliveries begin their schedule anew. */
export type RedeliveryV1 = Readonly<{ queued: Count }>;

/** Problems: 404 for the webhook and for the event; 409 for a registration that is inactive. */
export const redeliverEvent: CommandContract<WebhookRefV1 & Readonly<{ eventId: string }>, RedeliveryV1> = {
  type: 'webhooks.redeliver-event.v1',
  topic: webhooksCommands,
  keyOf: ({ webhookId }) => webhookId,
};

/** Everything since then that was not delivered. Problems: 404; 409 for a registration that is inactive. */
export const redeliverSince: CommandContract<WebhookRefV1 & Readonly<{ since: Timestamp }>, RedeliveryV1> = {
  type: 'webhooks.redeliver-since.v1',
  topic: webhooksCommands,
  keyOf: ({ webhookId }) => webhookId,
};

/** Problems: 404. */
export const deleteWebhook: CommandContract<WebhookRefV1, Readonly<{ webhookId: Uuid }>> = {
  type: 'webhooks.delete-webhook.v1',
  topic: webhooksCommands,
  keyOf: ({ webhookId }) => webhookId,
};

/** Problems: 404; 409 for a registration that is inactive or not subscribed to `test`. */
export const testWebhook: CommandContract<WebhookRefV1, Readonly<{ eventId: string }>> = {
  type: 'webhooks.test-webhook.v1',
  topic: webhooksCommands,
  keyOf: ({ webhookId }) => webhookId,
};
