import type { WebhookV1 } from '@causeway/contracts';

/** `secret`: in full, in the answer to the create; masked on every read. */
export const webhookResponse = (row: WebhookV1, secret = `whsec_…${row.secretHint}`): object => ({
  id: row.id,
  url: row.url,
  events: row.events,
  secret,
  active: row.active,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  metadata: row.metadata ?? {},
});
