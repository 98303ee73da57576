import { accept, assertNever, reject, type Decider, type Decision } from '@causeway/event-sourcing';
import type { EntityDetails, EntityEvent, RegisteredEntity } from './entity.events.ts';
import type { Environment } from './scope.ts';

/** One of the entity's connections, as it is when the command is given. */
export type ConnectionOfEntity = Readonly<{ connectionId: string; environment: Environment; isSyncing: boolean }>;

export type EntityCommand = Readonly<{ entityId: string }> &
  (
    | Readonly<{ type: 'RegisterEntity'; entity: RegisteredEntity }>
    /** What is left out stays. */
    | Readonly<{ type: 'ChangeEntity'; organization: string; details: Partial<EntityDetails>; at: string }>
    | Readonly<{
        type: 'DeleteEntity';
        organization: string;
        environment: Environment;
        connections: readonly ConnectionOfEntity[];
        at: string;
      }>
  );

/** `external_entity_id_taken`: another request registered it first. */
export type EntityRejection =
  | Readonly<{
      code:
        | 'external_entity_id_taken'
        | 'entity_not_found'
        | 'default_entity'
        | 'entity_syncing'
        | 'entity_connected_elsewhere';
    }>
  | Readonly<{ code: 'entity_deleted'; connectionIds: readonly string[] }>;

type Registered = EntityDetails &
  Readonly<{ status: 'registered' }> &
  Pick<RegisteredEntity, 'organization' | 'externalEntityId' | 'isDefaultOrgEntity'>;
export type Entity =
  | Readonly<{ status: 'none' }>
  | Registered
  | Readonly<{ status: 'deleted'; organization: string; connectionIds: readonly string[] }>;

type EntityDecision = Decision<EntityEvent, EntityRejection>;
type CommandOf<T extends EntityCommand['type']> = Extract<EntityCommand, { type: T }>;

const decide = (entity: Entity, command: EntityCommand): EntityDecision => {
  if (command.type === 'RegisterEntity') return register(entity, command);
  if (entity.status === 'none' || entity.organization !== command.organization) {
    return reject({ code: 'entity_not_found' });
  }
  switch (command.type) {
    case 'ChangeEntity':
      return entity.status === 'deleted' ? reject({ code: 'entity_not_found' }) : change(entity, command);
    case 'DeleteEntity':
      // A deletion may have been cut off: whoever asked for it is let see to the rest.
      if (entity.status === 'deleted') return reject({ code: 'entity_deleted', connectionIds: entity.connectionIds });
      return remove(entity, command);
    default:
      return assertNever(command);
  }
};

const register = ({ status }: Entity, { entity }: CommandOf<'RegisterEntity'>): EntityDecision =>
  status === 'none'
    ? accept({ type: 'EntityRegistered', data: { ...entity, contactEmails: distinctEmails(entity.contactEmails) } })
    : reject({ code: 'external_entity_id_taken' });

const change = (entity: Registered, { details, at }: CommandOf<'ChangeEntity'>): EntityDecision => {
  const { contactEmails } = details;
  const wanted = contactEmails === undefined ? details : { ...details, contactEmails: distinctEmails(contactEmails) };
  const isNews = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(entity[name as keyof EntityDetails]) !== JSON.stringify(value);
  const changed: Partial<EntityDetails> = Object.fromEntries(Object.entries(wanted).filter(isNews));
  return Object.keys(changed).length === 0
    ? accept()
    : accept({ type: 'EntityChanged', data: { details: changed, changedAt: at } });
};

const remove = (entity: Registered, { environment, connections, at }: CommandOf<'DeleteEntity'>): EntityDecision => {
  if (entity.isDefaultOrgEntity) return reject({ code: 'default_entity' });
  if (connections.some((connection) => connection.environment !== environment)) {
    return reject({ code: 'entity_connected_elsewhere' });
  }
  if (connections.some(({ isSyncing }) => isSyncing)) return reject({ code: 'entity_syncing' });
  const connectionIds = connections.map(({ connectionId }) => connectionId);
  const { externalEntityId } = entity;
  return accept({ type: 'EntityDeleted', data: { externalEntityId, connectionIds, deletedAt: at } });
};

/** The first spelling stays where it stood. */
const distinctEmails = (emails: readonly string[]): readonly string[] => {
  const seen = new Set<string>();
  return emails.filter((email) => {
    const folded = email.toLowerCase();
    if (seen.has(folded)) return false;
    seen.add(folded);
    return true;
  });
};

const evolve = (entity: Entity, event: EntityEvent): Entity => {
  switch (event.type) {
    case 'EntityRegistered': {
      const { organization, externalEntityId, isDefaultOrgEntity, name, contactEmails, metadata } = event.data;
      const details = { name, contactEmails, metadata };
      return { status: 'registered', organization, externalEntityId, isDefaultOrgEntity, ...details };
    }
    case 'EntityChanged':
      return entity.status === 'registered' ? { ...entity, ...event.data.details } : entity;
    case 'EntityDeleted': {
      if (entity.status === 'none') return entity;
      return { status: 'deleted', organization: entity.organization, connectionIds: event.data.connectionIds };
    }
    default:
      return assertNever(event);
  }
};

export const entity: Decider<Entity, EntityCommand, EntityEvent, EntityRejection> = {
  initial: { status: 'none' },
  decide,
  evolve,
};
