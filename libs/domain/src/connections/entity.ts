import { accept, reject, type Decider, type Decision } from '@causeway/event-sourcing';
import type { EntityEvent, RegisteredEntity } from './entity.events.ts';

export type EntityCommand = Readonly<{ type: 'RegisterEntity'; entityId: string; entity: RegisteredEntity }>;

/** `external_entity_id_taken`: another request registered it first. */
export type EntityRejection = Readonly<{ code: 'external_entity_id_taken' }>;

export type Entity = Readonly<{ status: 'none' }> | Readonly<{ status: 'registered'; organization: string }>;

const decide = (entity: Entity, command: EntityCommand): Decision<EntityEvent, EntityRejection> =>
  entity.status === 'none'
    ? accept({ type: 'EntityRegistered', data: command.entity })
    : reject({ code: 'external_entity_id_taken' });

const evolve = (_: Entity, event: EntityEvent): Entity => ({
  status: 'registered',
  organization: event.data.organization,
});

export const entity: Decider<Entity, EntityCommand, EntityEvent, EntityRejection> = {
  initial: { status: 'none' },
  decide,
  evolve,
};
