import { deciderSpec } from '@causeway/event-sourcing/testing';
import type { EntityEvent, RegisteredEntity } from './entity.events.ts';
import { entity, type EntityCommand } from './entity.ts';

const acme: RegisteredEntity = {
  organization: 'demo',
  externalEntityId: 'acme',
  isDefaultOrgEntity: false,
  name: 'Acme',
  contactEmails: ['ops@acme.example'],
  metadata: { tier: 1 },
  registeredAt: '2026-03-01T10:00:00.000Z',
};
const register = (data: RegisteredEntity): EntityCommand => ({ type: 'RegisterEntity', entityId: 'e-1', entity: data });
const registered: EntityEvent = { type: 'EntityRegistered', data: acme };

deciderSpec(entity, {
  'an entity is registered once': { given: [], when: register(acme), then: [registered] },
  'a second registration is refused, even with the same content': {
    given: [registered],
    when: register(acme),
    then: { rejected: { code: 'external_entity_id_taken' } },
  },
});
