export { busConformance } from './bus-conformance.ts';
export type { BusSettings, StartBus, StartedBus } from './bus-conformance.ts';
export { eventually } from './harness.ts';
