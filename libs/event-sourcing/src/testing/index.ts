export { deciderSpec } from './decider-spec.ts';
export type { Rule } from './decider-spec.ts';
export { eventStoreConformance } from './event-store-conformance.ts';
export { newStream, numbered, orderFaults, readToHead } from './store-under-test.ts';
export type { StoreUnderTest } from './store-under-test.ts';
