import type { WebhookRow } from '@causeway/read-models';
import type { CommandContract, Scope } from './contract.ts';
import type { PublicKeyText } from './sealed.ts';

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

export type RegisterWebhookV1 = Scope &
  Readonly<{
    url: string;
    events: readonly WebhookEventType[];
    metadata: Readonly<Record<string, unknown>> | null;
    /** Of a key for this command alone: what the secret in the reply is sealed to. */
    sealTo: PublicKeyText;
  }>;
/** `sealedSecret`: the secret in full. This reply is the only place that ever holds it so. */
export type RegisteredWebhookV1 = Readonly<{ webhook: WebhookRow; sealedSecret: string }>;

/** Problems: 400 naming `url` for an address that webhooks may not reach. */
export const registerWebhook: CommandContract<RegisterWebhookV1, RegisteredWebhookV1> = {
  type: 'webhooks.register-webhook.v1',
  topic: webhooksCommands,
  keyOf: ({ organization }) => organization,
};

export type WebhookRefV1 = Scope & Readonly<{ webhookId: string }>;

/** Problems: 404. */
export const deleteWebhook: CommandContract<WebhookRefV1, Readonly<{ webhookId: string }>> = {
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
