import type { DataKeys } from '@causeway/data-keys';
import { account, connection, connectionFoldVersion, entity, reservation } from '@causeway/domain/connections';
import type { Connection, ConnectionEvent, EntityEvent } from '@causeway/domain/connections';
import { commandHandler, stateReader, type EventStore, type Snapshots } from '@causeway/event-sourcing';
import { v7 as uuidV7 } from 'uuid';

const newId = (): string => uuidV7();
const accountFoldVersion = 1;

type Dependencies = Readonly<{ store: EventStore; snapshots: Snapshots; dataKeys: DataKeys }>;

/** One handler per aggregate, over the service's event store. */
export const aggregatesIn = ({ store, snapshots, dataKeys }: Dependencies) => {
  const kept = { cache: snapshots, foldVersion: connectionFoldVersion };
  const { now } = stateReader<Connection, ConnectionEvent>(store, connection, kept);
  const accountOf = (connectionId: string) =>
    commandHandler(store, account, {
      newId,
      streamOf: ({ accountId }) => `account-${accountId}`,
      snapshots: { cache: sealed(snapshots, dataKeys, connectionId), foldVersion: accountFoldVersion },
    });
  type AccountHandler = ReturnType<typeof accountOf>;
  return {
    entityNow: async (entityId: string) =>
      (await store.readStream<EntityEvent>(`entity-${entityId}`)).reduce(entity.evolve, entity.initial),
    entity: commandHandler(store, entity, { newId, streamOf: ({ entityId }) => `entity-${entityId}` }),
    connection: commandHandler(store, connection, {
      newId,
      streamOf: ({ connectionId }) => `connection-${connectionId}`,
      snapshots: kept,
    }),
    /** What a connection is now, and the revision that it stands at. */
    connectionNow: (connectionId: string) => now(`connection-${connectionId}`),
    account: (...given: Parameters<AccountHandler>) => accountOf(given[0].connectionId)(...given),
    reservation: commandHandler(store, reservation, {
      newId,
      streamOf: ({ reservationId }) => `reservation-${reservationId}`,
    }),
  };
};

export type Aggregates = ReturnType<typeof aggregatesIn>;

/** An account's state is what the bank said: kept under the key of its connection, it ends with that. */
const sealed = (cache: Snapshots, dataKeys: DataKeys, connectionId: string): Snapshots => ({
  ...cache,
  load: async (stream, foldVersion) => {
    const kept = await cache.load(stream, foldVersion);
    const plain = kept && (await dataKeys.decrypt(connectionId, Buffer.from(String(kept.state), 'base64'), stream));
    return kept && plain && { ...kept, state: JSON.parse(plain.toString()) as unknown };
  },
  save: async (stream, foldVersion, { state, revision }) => {
    const cipher = await dataKeys.encrypt(connectionId, Buffer.from(JSON.stringify(state)), stream);
    return cache.save(stream, foldVersion, { state: cipher.toString('base64'), revision });
  },
});
