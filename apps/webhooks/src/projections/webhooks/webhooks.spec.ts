import type { RegisteredWebhook, WebhookEvent } from '@causeway/domain/webhooks';
import type { WebhookRow } from '@causeway/read-models';
import { applyToWebhook } from './webhooks.ts';

const data: RegisteredWebhook = {
  organization: 'demo',
  environment: 'test',
  url: 'https://example.com/hook',
  events: ['test'],
  metadata: { team: 'ops' },
  sealedSecret: 'c2VhbGVk',
  secretHint: 'a1b=',
  registeredAt: '2026-03-01T10:00:00.000Z',
};
const row: WebhookRow = {
  id: 'w-1',
  organization: 'demo',
  environment: 'test',
  url: 'https://example.com/hook',
  events: ['test'],
  secretHint: 'a1b=',
  active: true,
  metadata: { team: 'ops' },
  createdAt: '2026-03-01T10:00:00.000Z',
  updatedAt: '2026-03-01T10:00:00.000Z',
};
const at = '2026-03-02T10:00:00.000Z';
const registered: WebhookEvent = { type: 'WebhookRegistered', data };
const disabled: WebhookEvent = { type: 'WebhookDisabled', data: { reason: 'gone', disabledAt: at } };
const tested: WebhookEvent = { type: 'WebhookTestQueued', data: { eventId: 'evt_1', queuedAt: at } };
const enabled: WebhookEvent = { type: 'WebhookEnabled', data: { enabledAt: at } };
const changed: WebhookEvent = {
  type: 'WebhookChanged',
  data: { change: { events: ['account.created'] }, changedAt: at },
};
const rotated: WebhookEvent = {
  type: 'WebhookSecretRotated',
  data: { rotationId: 'm-1', sealedSecret: 'bmV3', secretHint: 'z9y=', rotatedAt: at },
};
const deleted: WebhookEvent = { type: 'WebhookDeleted', data: { deletedAt: at } };
const apply = (before: WebhookRow | undefined, event: WebhookEvent) =>
  applyToWebhook(before, { ...event, stream: 'webhook-w-1' });

test('a registration is a row without its secret', () => expect(apply(undefined, registered)).toEqual(row));
test('a disabled one is there, inactive', () =>
  expect(apply(row, disabled)).toEqual({ ...row, active: false, updatedAt: at }));
test('one that is enabled again is active', () =>
  expect(apply({ ...row, active: false }, enabled)).toEqual({ ...row, updatedAt: at }));
test('of what was changed the new is shown, and the rest as it was', () =>
  expect(apply(row, changed)).toEqual({ ...row, events: ['account.created'], updatedAt: at }));
test('of a new secret its end is shown', () =>
  expect(apply(row, rotated)).toEqual({ ...row, secretHint: 'z9y=', updatedAt: at }));
test('a deleted one is not', () => expect(apply(row, deleted)).toBeUndefined());
test('a test changes nothing that can be seen', () => expect(apply(row, tested)).toBe(row));
test.each([disabled, enabled, changed, rotated, tested, deleted])('$type after the deletion makes no row', (event) =>
  expect(apply(undefined, event)).toBeUndefined(),
);
