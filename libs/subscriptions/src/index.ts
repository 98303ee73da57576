export { relayMigrations } from './checkpoint.ts';
export { relay } from './relay.ts';
export type { Outgoing } from './relay.ts';
export { startFeed } from './feed.ts';
export type { Walk } from './walk.ts';
