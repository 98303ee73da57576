import type { WebhookRow } from '@causeway/read-models';

/** `secret`: in full, in the answer to the create; masked on every read. */
export const webhookResponse = (row: WebhookRow, secret = `whsec_…${row.secretHint}`): object => ({
  id: row.id,
  url: row.url,
  events: row.events,
  secret,
  active: row.active,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  metadata: row.metadata ?? {},
});
