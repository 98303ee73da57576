import { transfer } from '@causeway/domain/transfers';
import { commandHandler, type EventStore } from '@causeway/event-sourcing';
import { randomUUID } from 'node:crypto';

/** Commands to transfers, over the service's event store. */
export const aggregatesIn = (store: EventStore) => ({
  transfer: commandHandler(store, transfer, {
    newId: randomUUID,
    streamOf: ({ transferId }) => `transfer-${transferId}`,
  }),
});

export type Aggregates = ReturnType<typeof aggregatesIn>;
