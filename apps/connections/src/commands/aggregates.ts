import { account, connection, entity, reservation } from '@causeway/domain/connections';
import { commandHandler, type Context, type EventStore } from '@causeway/event-sourcing';
import type { Scope } from '@causeway/domain/connections';
import { v7 as uuidV7 } from 'uuid';

const newId = (): string => uuidV7();

/** One handler per aggregate, over the service's event store. */
export const aggregatesIn = (store: EventStore) => ({
  entity: commandHandler(store, entity, { newId, streamOf: ({ entityId }) => `entity-${entityId}` }),
  connection: commandHandler(store, connection, {
    newId,
    streamOf: ({ connectionId }) => `connection-${connectionId}`,
  }),
  account: commandHandler(store, account, { newId, streamOf: ({ accountId }) => `account-${accountId}` }),
  reservation: commandHandler(store, reservation, {
    newId,
    streamOf: ({ reservationId }) => `reservation-${reservationId}`,
  }),
});

export type Aggregates = ReturnType<typeof aggregatesIn>;

type Causes = Readonly<{ correlationId: string; causationId: string }>;

/** The context of what a message led to. Entities belong to no environment. */
export const contextOf = (
  owner: Readonly<{ organization: string; environment?: Scope['environment'] }>,
  { correlationId, causationId }: Causes,
): Context => ({
  metadata: { correlationId, causationId, organization: owner.organization, environment: owner.environment ?? null },
});

/** The context of what the service does of its own accord. */
export const ownContext = (scope: Scope): Context => {
  const id = newId();
  return contextOf(scope, { correlationId: id, causationId: id });
};
