export { readCheckpoint, relayMigrations } from './checkpoint.ts';
export { relay } from './relay.ts';
export type { Outgoing, RelayOptions } from './relay.ts';
export { startFeed } from './feed.ts';
export type { FeedOptions } from './feed.ts';
export type { Walk, WalkOptions, WalkStatus } from './walk.ts';
