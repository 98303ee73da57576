import { connectionsCommands } from './connections.ts';
import type { CommandContract, Scope } from './contract.ts';
import type { Timestamp, Uuid } from './values.ts';

export type EntityV1 = Readonly<{
  entityId: Uuid;
  externalEntityId: string;
  isDefaultOrgEntity: boolean;
  name: string | null;
  contactEmails: readonly string[];
  metadata: Readonly<Record<string, unknown>> | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}>;

export type CreateEntityV1 = Readonly<{
  organization: string;
  externalEntityId: string;
  name: string | null;
  contactEmails: readonly string[];
  metadata: Readonly<Record<string, unknown>> | null;
}>;

/** Problems: 409 conflict for an `externalEntityId` that is taken. */
export const createEntity: CommandContract<CreateEntityV1, EntityV1> = {
  type: 'connections.create-entity.v1',
  topic: connectionsCommands,
  keyOf: ({ organization }) => organization,
};

/** What is left out stays; null clears. */
export type UpdateEntityV1 = Readonly<{
  organization: string;
  entityId: Uuid;
  name?: string | null;
  contactEmails?: readonly string[];
  metadata?: Readonly<Record<string, unknown>> | null;
}>;

/** Problems: 404. */
export const updateEntity: CommandContract<UpdateEntityV1, EntityV1> = {
  type: 'connections.update-entity.v1',
  topic: connectionsCommands,
  keyOf: ({ entityId }) => entityId,
};

/** An entity belongs to no environment; `environment` is the caller's, who can delete the connections of that one only. */
export type DeleteEntityV1 = Scope & Readonly<{ entityId: Uuid }>;

/**
 * `connectionIds`: those that are deleted with it. `before`: it had been deleted, and what that left undone is done now.
 */
export type DeletedEntityV1 = Readonly<{ entityId: Uuid; connectionIds: readonly Uuid[]; before: boolean }>;

/** Problems: 404; 409 for the default entity, while a connection of it syncs, with connections in the other environment. */
export const deleteEntity: CommandContract<DeleteEntityV1, DeletedEntityV1> = {
  type: 'connections.delete-entity.v1',
  topic: connectionsCommands,
  keyOf: ({ entityId }) => entityId,
};
