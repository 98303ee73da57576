export { beginning, categoryOf, idOf, timestampOf, unreadable } from './event.ts';
export type {
  Event,
  Metadata,
  NewEvent,
  Position,
  Recorded,
  RecordedAt,
  Revision,
  Sequenced,
  StreamName,
} from './event.ts';
export { appendEventsMax, StreamErased, stretchPositions } from './event-store.ts';
export type { Append, AppendOutcome, Batch, EventStore } from './event-store.ts';
export { accept, assertNever, reject } from './decider.ts';
export type { Decider, Decision } from './decider.ts';
export { commandHandler, StreamContended } from './command-handler.ts';
export type { Context, Handled } from './command-handler.ts';
export { sharedReads } from './shared-reads.ts';
export { stateReader } from './snapshots.ts';
export type { Folded, Snapshots } from './snapshots.ts';
