import { deciderSpec } from '@causeway/event-sourcing/testing';
import type { RegisteredWebhook, WebhookEvent } from './webhook.events.ts';
import { webhook, type WebhookCommand } from './webhook.ts';

const at = '2026-03-01T10:00:00.000Z';
const owner = { organization: 'demo', environment: 'test' } as const;
const another = { organization: 'other', environment: 'test' } as const;
const live = { organization: 'demo', environment: 'live' } as const;

const hook: RegisteredWebhook = {
  ...owner,
  url: 'https://example.com/hook',
  events: ['transactions.sync_available', 'test'],
  metadata: null,
  sealedSecret: 'c2VhbGVk',
  secretHint: 'a1b=',
  registeredAt: at,
};
const register = (data: RegisteredWebhook = hook): WebhookCommand => ({
  type: 'RegisterWebhook',
  webhookId: 'w-1',
  webhook: data,
});
const queueTest = (from: typeof owner | typeof another | typeof live = owner, eventId = 'evt_1'): WebhookCommand => ({
  type: 'QueueTest',
  webhookId: 'w-1',
  owner: from,
  eventId,
  at,
});
const disable: WebhookCommand = { type: 'DisableWebhook', webhookId: 'w-1', reason: 'gone', at };
const remove = (from: typeof owner | typeof another | typeof live = owner): WebhookCommand => ({
  type: 'DeleteWebhook',
  webhookId: 'w-1',
  owner: from,
  at,
});

const registered: WebhookEvent = { type: 'WebhookRegistered', data: hook };
const untested: WebhookEvent = { type: 'WebhookRegistered', data: { ...hook, events: ['connection.status_changed'] } };
const testQueued: WebhookEvent = { type: 'WebhookTestQueued', data: { eventId: 'evt_1', queuedAt: at } };
const disabled: WebhookEvent = { type: 'WebhookDisabled', data: { reason: 'gone', disabledAt: at } };
const deleted: WebhookEvent = { type: 'WebhookDeleted', data: { deletedAt: at } };

const refused = (code: 'not_found' | 'inactive' | 'not_subscribed') => ({ rejected: { code } });

deciderSpec(webhook, {
  'a webhook is registered once': { given: [], when: register(), then: [registered] },
  'a test is queued for one that is active and subscribed to tests': {
    given: [registered],
    when: queueTest(),
    then: [testQueued],
  },
  'the same test again, even after it was disabled, records nothing': {
    given: [registered, testQueued, disabled],
    when: queueTest(),
    then: [],
  },
  'one that is not subscribed to tests gets none': {
    given: [untested],
    when: queueTest(),
    then: refused('not_subscribed'),
  },
  'one that was disabled gets no test': {
    given: [registered, disabled],
    when: queueTest(),
    then: refused('inactive'),
  },
  'one that is unknown gets no test': { given: [], when: queueTest(), then: refused('not_found') },
  'another organization’s is as good as unknown': {
    given: [registered],
    when: queueTest(another),
    then: refused('not_found'),
  },
  'the other environment’s is as good as unknown': {
    given: [registered],
    when: queueTest(live),
    then: refused('not_found'),
  },
  'a receiver that is gone is disabled': { given: [registered], when: disable, then: [disabled] },
  'it is disabled once': { given: [registered, disabled], when: disable, then: [] },
  'what was deleted is not disabled any more': {
    given: [registered, deleted],
    when: disable,
    then: refused('not_found'),
  },
  'its owner deletes it, disabled or not': { given: [registered, disabled], when: remove(), then: [deleted] },
  'nobody else deletes it': { given: [registered], when: remove(another), then: refused('not_found') },
  'it is deleted once': { given: [registered, deleted], when: remove(), then: refused('not_found') },
});
