import { accept, assertNever, reject, type Decider, type Decision } from '@causeway/event-sourcing';
import type { DisableReason, RegisteredWebhook, WebhookEvent } from './webhook.events.ts';

/** `at`: when the service received the command, UTC. `owner`: on whose behalf; another's webhook is as good as none. */
export type WebhookCommand = Readonly<{ webhookId: string }> &
  (
    | Readonly<{ type: 'RegisterWebhook'; webhook: RegisteredWebhook }>
    | Readonly<{ type: 'QueueTest'; owner: WebhookOwner; eventId: string; at: string }>
    | Readonly<{ type: 'DisableWebhook'; reason: DisableReason; at: string }>
    | Readonly<{ type: 'DeleteWebhook'; owner: WebhookOwner; at: string }>
  );

export type WebhookOwner = Readonly<{ organization: string; environment: 'live' | 'test' }>;

export type WebhookRejection = Readonly<{ code: 'not_found' | 'inactive' | 'not_subscribed' }>;

export type Webhook =
  | Readonly<{ status: 'none' }>
  | Readonly<{ status: 'deleted' }>
  | Readonly<{
      status: 'active' | 'inactive';
      owner: WebhookOwner;
      takesTests: boolean;
      lastTest: string | undefined;
    }>;

type WebhookDecision = Decision<WebhookEvent, WebhookRejection>;

const decide = (webhook: Webhook, command: WebhookCommand): WebhookDecision => {
  if (command.type === 'RegisterWebhook') {
    return webhook.status === 'none' ? accept({ type: 'WebhookRegistered', data: command.webhook }) : accept();
  }
  if (webhook.status === 'none' || webhook.status === 'deleted') return reject({ code: 'not_found' });
  switch (command.type) {
    case 'QueueTest':
      if (!owns(command.owner, webhook.owner)) return reject({ code: 'not_found' });
      if (webhook.lastTest === command.eventId) return accept();
      if (webhook.status === 'inactive') return reject({ code: 'inactive' });
      if (!webhook.takesTests) return reject({ code: 'not_subscribed' });
      return accept({ type: 'WebhookTestQueued', data: { eventId: command.eventId, queuedAt: command.at } });
    case 'DisableWebhook':
      if (webhook.status === 'inactive') return accept();
      return accept({ type: 'WebhookDisabled', data: { reason: command.reason, disabledAt: command.at } });
    case 'DeleteWebhook':
      if (!owns(command.owner, webhook.owner)) return reject({ code: 'not_found' });
      return accept({ type: 'WebhookDeleted', data: { deletedAt: command.at } });
    default:
      return assertNever(command);
  }
};

const owns = (owner: WebhookOwner, other: WebhookOwner): boolean =>
  owner.organization === other.organization && owner.environment === other.environment;

const evolve = (webhook: Webhook, event: WebhookEvent): Webhook => {
  if (event.type === 'WebhookRegistered') {
    const { organization, environment, events } = event.data;
    const takesTests = events.includes('test');
    return { status: 'active', owner: { organization, environment }, takesTests, lastTest: undefined };
  }
  if (webhook.status === 'none' || webhook.status === 'deleted') return webhook;
  switch (event.type) {
    case 'WebhookTestQueued':
      return { ...webhook, lastTest: event.data.eventId };
    case 'WebhookDisabled':
      return { ...webhook, status: 'inactive' };
    case 'WebhookDeleted':
      return { status: 'deleted' };
    default:
      return assertNever(event);
  }
};

export const webhook: Decider<Webhook, WebhookCommand, WebhookEvent, WebhookRejection> = {
  initial: { status: 'none' },
  decide,
  evolve,
};
