import { deciderSpec } from '@causeway/event-sourcing/testing';
import type { RegisteredWebhook, WebhookDetails, WebhookEvent } from './webhook.events.ts';
import { webhook, type WebhookChange, type WebhookCommand } from './webhook.ts';

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
const change = (what: WebhookChange, from: typeof owner | typeof another = owner): WebhookCommand => ({
  type: 'ChangeWebhook',
  webhookId: 'w-1',
  owner: from,
  change: what,
  at,
});
const secret = { sealedSecret: 'bmV3', secretHint: 'z9y=' };
const rotate = (from: typeof owner | typeof another = owner, rotationId = 'm-1'): WebhookCommand => ({
  ...{ type: 'RotateSecret', webhookId: 'w-1', owner: from },
  ...{ rotationId, secret, at },
});
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

const changed = (what: Partial<WebhookDetails>): WebhookEvent => ({
  type: 'WebhookChanged',
  data: { change: what, changedAt: at },
});
const rotated = (rotationId = 'm-1'): WebhookEvent => ({
  type: 'WebhookSecretRotated',
  data: { rotationId, ...secret, rotatedAt: at },
});
const disabledByOwner: WebhookEvent = { type: 'WebhookDisabled', data: { reason: 'owner', disabledAt: at } };
const enabled: WebhookEvent = { type: 'WebhookEnabled', data: { enabledAt: at } };
const moved = 'https://example.com/moved';

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
  'what its owner changes is recorded, and nothing else': {
    given: [registered],
    when: change({ url: moved, events: hook.events, metadata: null }),
    then: [changed({ url: moved })],
  },
  'metadata is set, and cleared by null': {
    given: [registered, changed({ metadata: { team: 'ops' } })],
    when: change({ metadata: null }),
    then: [changed({ metadata: null })],
  },
  'a change to what is so already records nothing': {
    given: [registered, changed({ url: moved })],
    when: change({ url: moved, active: true }),
    then: [],
  },
  'its owner makes it inactive, and changes it at once': {
    given: [registered],
    when: change({ events: ['account.created'], active: false }),
    then: [changed({ events: ['account.created'] }), disabledByOwner],
  },
  'what was disabled for whatever reason its owner makes active again': {
    given: [registered, disabled],
    when: change({ active: true }),
    then: [enabled],
  },
  'one that is active again takes tests': {
    given: [registered, disabled, enabled],
    when: queueTest(),
    then: [testQueued],
  },
  'one that subscribed to tests later takes them': {
    given: [untested, changed({ events: ['test'] })],
    when: queueTest(),
    then: [testQueued],
  },
  'nobody else changes it': {
    given: [registered],
    when: change({ active: false }, another),
    then: refused('not_found'),
  },
  'what was deleted is not changed': {
    given: [registered, deleted],
    when: change({ active: true }),
    then: refused('not_found'),
  },
  'its owner rotates the secret': { given: [registered], when: rotate(), then: [rotated()] },
  'an inactive one has its secret rotated too': { given: [registered, disabled], when: rotate(), then: [rotated()] },
  'another rotation is another secret': {
    given: [registered, rotated()],
    when: rotate(owner, 'm-2'),
    then: [rotated('m-2')],
  },
  'nobody else rotates it': { given: [registered], when: rotate(another), then: refused('not_found') },
});
