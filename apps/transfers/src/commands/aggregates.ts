import { transfer } from '@causeway/domain/transfers';
import { commandHandler, type EventStore } from '@causeway/event-sourcing';
import { v7 as uuidV7 } from 'uuid';

/** Commands to transfers, over the service's event store. */
export const aggregatesIn = (store: EventStore) => ({
  transfer: commandHandler(store, transfer, {
    newId: () => uuidV7(),
    streamOf: ({ transferId }) => `transfer-${transferId}`,
  }),
});

export type Aggregates = ReturnType<typeof aggregatesIn>;
