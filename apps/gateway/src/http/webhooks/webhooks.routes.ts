import { cursor, limit } from '@causeway/http';
import { route } from '../edge/route.ts';
import { CreateWebhookBody } from './webhook.body.ts';

export const createWebhook = route({
  method: 'POST',
  path: '/v1/webhooks',
  scope: 'webhooks:write',
  query: {},
  body: CreateWebhookBody,
  bodyBytesMax: 128 * 1024,
});

export const listWebhooks = route({
  method: 'GET',
  path: '/v1/webhooks',
  scope: 'webhooks:read',
  query: { cursor, limit: limit(100, 500) },
});

export const getWebhook = route({
  method: 'GET',
  path: '/v1/webhooks/:id',
  scope: 'webhooks:read',
  target: 'webhook',
  query: {},
});

export const deleteWebhookRoute = route({
  method: 'DELETE',
  path: '/v1/webhooks/:id',
  scope: 'webhooks:write',
  target: 'webhook',
  query: {},
});

export const testWebhookRoute = route({
  method: 'POST',
  path: '/v1/webhooks/:id/test',
  scope: 'webhooks:write',
  target: 'webhook',
  query: {},
});
