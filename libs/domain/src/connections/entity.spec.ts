import { deciderSpec } from '@causeway/event-sourcing/testing';
import type { EntityDetails, EntityEvent, RegisteredEntity } from './entity.events.ts';
import { entity, type ConnectionOfEntity, type EntityCommand } from './entity.ts';

const at = '2026-03-01T10:00:00.000Z';
const acme: RegisteredEntity = {
  organization: 'demo',
  externalEntityId: 'acme',
  isDefaultOrgEntity: false,
  name: 'Acme',
  contactEmails: ['ops@acme.example'],
  metadata: { tier: 1 },
  registeredAt: at,
};
const register = (data: RegisteredEntity): EntityCommand => ({ type: 'RegisterEntity', entityId: 'e-1', entity: data });
const registered: EntityEvent = { type: 'EntityRegistered', data: acme };
const change = (details: Partial<EntityDetails>, organization = 'demo'): EntityCommand => ({
  type: 'ChangeEntity',
  entityId: 'e-1',
  organization,
  details,
  at,
});
const changed = (details: Partial<EntityDetails>): EntityEvent => ({
  type: 'EntityChanged',
  data: { details, changedAt: at },
});
const idle: ConnectionOfEntity = { connectionId: 'c-1', environment: 'test', isSyncing: false };
const remove = (connections: readonly ConnectionOfEntity[] = [], organization = 'demo'): EntityCommand => ({
  type: 'DeleteEntity',
  entityId: 'e-1',
  organization,
  environment: 'test',
  connections,
  at,
});
const deleted = (...connectionIds: readonly string[]): EntityEvent => ({
  type: 'EntityDeleted',
  data: { externalEntityId: 'acme', connectionIds, deletedAt: at },
});
const refused = (code: string) => ({ rejected: { code } }) as never;
const twice = ['Ops@acme.example', 'b@acme.example', 'ops@ACME.example'];
const once = ['Ops@acme.example', 'b@acme.example'];

describe('registering', () =>
  deciderSpec(entity, {
    'an entity is registered once': { given: [], when: register(acme), then: [registered] },
    'an address counts once, as it was written first': {
      given: [],
      when: register({ ...acme, contactEmails: twice }),
      then: [{ type: 'EntityRegistered', data: { ...acme, contactEmails: once } }],
    },
    'a second registration is refused, even with the same content': {
      given: [registered],
      when: register(acme),
      then: refused('external_entity_id_taken'),
    },
  }));

describe('a change', () =>
  deciderSpec(entity, {
    'of contacts replaces all of them': {
      given: [registered],
      when: change({ contactEmails: twice }),
      then: [changed({ contactEmails: once })],
    },
    'to what is so already records nothing': {
      given: [registered],
      when: change({ name: 'Acme', contactEmails: ['ops@acme.example'], metadata: { tier: 1 } }),
      then: [],
    },
    'clears what is null': {
      given: [registered],
      when: change({ name: null, metadata: null }),
      then: [changed({ name: null, metadata: null })],
    },
    'records what changed alone, against the newest state': {
      given: [registered, changed({ name: 'Acme & Co' })],
      when: change({ name: 'Acme', metadata: { tier: 1 } }),
      then: [changed({ name: 'Acme' })],
    },
    'is not for others': {
      given: [registered],
      when: change({ name: null }, 'other'),
      then: refused('entity_not_found'),
    },
    'of a deleted one is refused': {
      given: [registered, deleted()],
      when: change({ name: null }),
      then: refused('entity_not_found'),
    },
  }));

describe('deleting', () =>
  deciderSpec(entity, {
    'names the connections that go with it': { given: [registered], when: remove([idle]), then: [deleted('c-1')] },
    'is refused while one of them syncs': {
      given: [registered],
      when: remove([idle, { ...idle, isSyncing: true }]),
      then: refused('entity_syncing'),
    },
    'is refused while there are some in the other environment': {
      given: [registered],
      when: remove([{ ...idle, environment: 'live' }]),
      then: refused('entity_connected_elsewhere'),
    },
    'is refused for the one that stands for the organization': {
      given: [{ type: 'EntityRegistered', data: { ...acme, isDefaultOrgEntity: true } }],
      when: remove(),
      then: refused('default_entity'),
    },
    'twice is told apart': {
      given: [registered, deleted('c-1')],
      when: remove(),
      then: { rejected: { code: 'entity_deleted', connectionIds: ['c-1'] } },
    },
    'is not for others': { given: [registered], when: remove([], 'other'), then: refused('entity_not_found') },
    'of what is not there is refused': { given: [], when: remove(), then: refused('entity_not_found') },
  }));
