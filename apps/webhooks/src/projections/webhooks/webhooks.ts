import type { WebhookEvent } from '@causeway/domain/webhooks';
import { assertNever, type Sequenced } from '@causeway/event-sourcing';
import { rowProjection, type Projection } from '@causeway/projections';
import { webhookColumns, webhooksView, type WebhookRow } from '@causeway/read-models';
import { webhookIdOf } from '../../reactions/endpoints.ts';

/** What the fold takes of an event. */
type Happened = Pick<Sequenced, 'stream'> & WebhookEvent;

/** Pure. The secret itself is not in any row. */
export const applyToWebhook = (row: WebhookRow | undefined, event: Happened): WebhookRow | undefined => {
  if (event.type === 'WebhookRegistered') {
    const { organization, environment, url, events, secretHint, metadata, registeredAt } = event.data;
    const its = { organization, environment, url, events, secretHint, metadata };
    return { id: webhookIdOf(event), ...its, active: true, createdAt: registeredAt, updatedAt: registeredAt };
  }
  if (row === undefined) return undefined;
  switch (event.type) {
    case 'WebhookChanged':
      return { ...row, ...event.data.change, updatedAt: event.data.changedAt };
    case 'WebhookSecretRotated':
      return { ...row, secretHint: event.data.secretHint, updatedAt: event.data.rotatedAt };
    case 'WebhookDisabled':
      return { ...row, active: false, updatedAt: event.data.disabledAt };
    case 'WebhookEnabled':
      return { ...row, active: true, updatedAt: event.data.enabledAt };
    case 'WebhookDeleted':
      return undefined;
    case 'WebhookTestQueued':
      return row;
    default:
      return assertNever(event);
  }
};

export const webhooks: Projection = rowProjection<WebhookRow, WebhookEvent>({
  name: 'webhooks',
  version: 1,
  table: 'webhooks',
  columns: webhookColumns,
  key: 'id',
  keysOf: (event) => [webhookIdOf(event)],
  opens: ({ type }) => type === 'WebhookRegistered',
  closes: ({ type }) => type === 'WebhookDeleted',
  apply: applyToWebhook,
  indexes: ['(organization, environment, created_at, id)'],
  views: webhooksView,
});
