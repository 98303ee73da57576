import type { WebhookEventType } from '@causeway/contracts';
import type { JsonSchema } from '@causeway/http';
import { connectionStatuses } from '@causeway/read-models';

const uuid = { type: 'string', format: 'uuid' };
const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const status = { type: 'string', enum: connectionStatuses };

/** What the `data` of each event holds; null: reserved, may be subscribed to and is not sent. */
const dataOf: Readonly<Record<WebhookEventType, Readonly<Record<string, JsonSchema>> | null>> = {
  'connection.status_changed': {
    ...{ connectionId: uuid, entityId: uuid, previousStatus: status, status },
    ...{ errorCode: textOrNull, errorMessage: textOrNull },
  },
  'transactions.sync_available': { connectionId: uuid, entityId: uuid, accountId: { type: 'null' } },
  test: { webhookId: uuid },
  'account.created': null,
  'account.updated': null,
  'transfer.status_changed': null,
};

const object = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const headers = {
  'Service-Signature': '`t=<unix seconds>,v1=<hex>`: the HMAC-SHA256 of `<t>.<raw body>` under the whole secret.',
  'Service-Event-Id': 'The id of the event: the same event may come more than once.',
  'Service-Attempt': 'Which attempt this is, from 1.',
  'webhook-id': 'Standard Webhooks: the id of the event.',
  'webhook-timestamp': 'Standard Webhooks: unix seconds.',
  'webhook-signature': 'Standard Webhooks: `v1,<base64>`, several while a secret is rotated.',
};

const parameters = Object.entries(headers).map(([name, description]) => ({
  ...{ name, in: 'header', required: true, description, schema: text },
}));

const delivery = (type: string, data: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  post: {
    operationId: `deliver.${type}`,
    summary: `Delivers ${type} to a registered address.`,
    tags: ['Webhooks'],
    security: [],
    parameters,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: object({
            id: { type: 'string', pattern: '^evt_' },
            type: { const: type },
            createdAt: { type: 'string', format: 'date-time' },
            data: object(data),
          }),
        },
      },
    },
    responses: {
      '2XX': { description: 'Taken.' },
      '410': { description: 'Disables the registration.' },
      default: { description: 'Delivered again later.' },
    },
  },
});

/** The webhooks of the document: every event that is sent. */
export const webhookEvents = (): JsonSchema =>
  Object.fromEntries(
    Object.entries(dataOf).flatMap(([type, data]) => (data === null ? [] : [[type, delivery(type, data)]])),
  );
