import { transfer } from '@causeway/domain/transfers';
import { commandHandler, type EventStore } from '@causeway/event-sourcing';
import { v7 as uuidV7 } from 'uuid';

const newId = (): string => uuidV7();

/** Commands to transfers, over the service's event store. */
export const aggregatesIn = (store: EventStore) => ({
  transfer: commandHandler(store, transfer, { newId, streamOf: ({ transferId }) => `transfer-${transferId}` }),
});

export type Aggregates = ReturnType<typeof aggregatesIn>;
