import { idempotencyKey, transfer } from '@causeway/domain/transfers';
import { commandHandler, type EventStore } from '@causeway/event-sourcing';
import { v7 as uuidV7 } from 'uuid';

const newId = (): string => uuidV7();

/** One handler per aggregate, over the service's event store. */
export const aggregatesIn = (store: EventStore) => ({
  transfer: commandHandler(store, transfer, { newId, streamOf: ({ transferId }) => `transfer-${transferId}` }),
  key: commandHandler(store, idempotencyKey, { newId, streamOf: ({ keyId }) => `reservation-${keyId}` }),
});

export type Aggregates = ReturnType<typeof aggregatesIn>;
