import { eventStoreConformance } from '@causeway/event-sourcing/testing';
import { describeWithPostgres } from '@causeway/testing';
import { postgresStoreUnderTest } from './testing/store.ts';

describeWithPostgres('the event store in PostgreSQL', () => {
  eventStoreConformance('is a store', postgresStoreUnderTest);
});
