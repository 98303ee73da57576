import { accept, assertNever, reject, type Decider, type Decision } from '@causeway/event-sourcing';
import type { DisableReason, RegisteredWebhook, SealedSecret, WebhookDetails, WebhookEvent } from './webhook.events.ts';

/** `at`: when the service received the command, UTC. `owner`: on whose behalf; another's webhook is as good as none. */
export type WebhookCommand = Readonly<{ webhookId: string }> &
  (
    | Readonly<{ type: 'RegisterWebhook'; webhook: RegisteredWebhook }>
    /** What is not in `change` stays as it is. */
    | Readonly<{ type: 'ChangeWebhook'; owner: WebhookOwner; change: WebhookChange; at: string }>
    | Readonly<{ type: 'RotateSecret'; owner: WebhookOwner; rotationId: string; secret: SealedSecret; at: string }>
    | Readonly<{ type: 'QueueTest'; owner: WebhookOwner; eventId: string; at: string }>
    | Readonly<{ type: 'DisableWebhook'; reason: DisableReason; at: string }>
    | Readonly<{ type: 'DeleteWebhook'; owner: WebhookOwner; at: string }>
  );

export type WebhookChange = Partial<WebhookDetails & Readonly<{ active: boolean }>>;

export type WebhookOwner = Readonly<{ organization: string; environment: 'live' | 'test' }>;

export type WebhookRejection = Readonly<{ code: 'not_found' | 'inactive' | 'not_subscribed' }>;

export type Webhook =
  | Readonly<{ status: 'none' }>
  | Readonly<{ status: 'deleted' }>
  | Readonly<{
      status: 'active' | 'inactive';
      owner: WebhookOwner;
      details: WebhookDetails;
      lastTest: string | undefined;
      lastRotation: string | undefined;
    }>;

type Known = Exclude<Webhook, { status: 'none' | 'deleted' }>;
type CommandOf<T extends WebhookCommand['type']> = Extract<WebhookCommand, { type: T }>;

type WebhookDecision = Decision<WebhookEvent, WebhookRejection>;

const decide = (webhook: Webhook, command: WebhookCommand): WebhookDecision => {
  if (command.type === 'RegisterWebhook') {
    return webhook.status === 'none' ? accept({ type: 'WebhookRegistered', data: command.webhook }) : accept();
  }
  if (webhook.status === 'none' || webhook.status === 'deleted') return reject({ code: 'not_found' });
  if ('owner' in command && !owns(command.owner, webhook.owner)) return reject({ code: 'not_found' });
  switch (command.type) {
    case 'ChangeWebhook':
      return change(webhook, command);
    case 'RotateSecret':
      return rotate(webhook, command);
    case 'QueueTest':
      if (webhook.lastTest === command.eventId) return accept();
      if (webhook.status === 'inactive') return reject({ code: 'inactive' });
      if (!webhook.details.events.includes('test')) return reject({ code: 'not_subscribed' });
      return accept({ type: 'WebhookTestQueued', data: { eventId: command.eventId, queuedAt: command.at } });
    case 'DisableWebhook':
      return accept(...switched(webhook, false, command));
    case 'DeleteWebhook':
      return accept({ type: 'WebhookDeleted', data: { deletedAt: command.at } });
    default:
      return assertNever(command);
  }
};

const change = (webhook: Known, { change: { active, ...wanted }, at }: CommandOf<'ChangeWebhook'>): WebhookDecision => {
  const { details } = webhook;
  const changed = Object.entries(wanted).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(details[name as keyof WebhookDetails]),
  );
  const events: WebhookEvent[] = [];
  if (changed.length > 0) {
    events.push({ type: 'WebhookChanged', data: { change: Object.fromEntries(changed), changedAt: at } });
  }
  return accept(...events, ...switched(webhook, active, { reason: 'owner', at }));
};

/** `active`: as it shall be; undefined: as it is. */
const switched = (
  { status }: Known,
  active: boolean | undefined,
  { reason, at }: Readonly<{ reason: DisableReason; at: string }>,
): readonly WebhookEvent[] => {
  if (active === undefined || active === (status === 'active')) return [];
  return active
    ? [{ type: 'WebhookEnabled', data: { enabledAt: at } }]
    : [{ type: 'WebhookDisabled', data: { reason, disabledAt: at } }];
};

const rotate = (webhook: Known, { rotationId, secret, at }: CommandOf<'RotateSecret'>): WebhookDecision =>
  webhook.lastRotation === rotationId
    ? accept()
    : accept({ type: 'WebhookSecretRotated', data: { rotationId, ...secret, rotatedAt: at } });

const owns = (owner: WebhookOwner, other: WebhookOwner): boolean =>
  owner.organization === other.organization && owner.environment === other.environment;

const evolve = (webhook: Webhook, event: WebhookEvent): Webhook => {
  if (event.type === 'WebhookRegistered') {
    const { organization, environment, url, events, metadata } = event.data;
    const details = { url, events, metadata };
    const owner = { organization, environment };
    return { status: 'active', owner, details, lastTest: undefined, lastRotation: undefined };
  }
  if (webhook.status === 'none' || webhook.status === 'deleted') return webhook;
  switch (event.type) {
    case 'WebhookChanged':
      return { ...webhook, details: { ...webhook.details, ...event.data.change } };
    case 'WebhookSecretRotated':
      return { ...webhook, lastRotation: event.data.rotationId };
    case 'WebhookTestQueued':
      return { ...webhook, lastTest: event.data.eventId };
    case 'WebhookDisabled':
      return { ...webhook, status: 'inactive' };
    case 'WebhookEnabled':
      return { ...webhook, status: 'active' };
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
