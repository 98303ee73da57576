export { entity } from './entity.ts';
export type { Entity, EntityCommand, EntityRejection } from './entity.ts';
export type { EntityEvent, RegisteredEntity } from './entity.events.ts';
export { reservation } from './reservation.ts';
export type { Reservation, ReservationCommand, ReservationRejection } from './reservation.ts';
export type { ReservationEvent } from './reservation.events.ts';
export { connection, failuresMax } from './connection.ts';
export type { ConnectionCommand, ConnectionRejection } from './connection.ts';
export { connectionFoldVersion, isKnown, lastRunOf } from './connection.state.ts';
export type { Connection, Known } from './connection.state.ts';
export { statusAfter } from './connection.events.ts';
export type {
  ConnectionEvent,
  ConnectionStatus,
  Portal,
  SyncFault,
  SyncFaultKind,
  SyncTrigger,
} from './connection.events.ts';
export { account } from './account.ts';
export type { Account, AccountCommand } from './account.ts';
export type { AccountDetails, AccountEvent } from './account.events.ts';
export type { PageRange, SyncRunEvent } from './sync-run.events.ts';
export type { Environment, Scope } from './scope.ts';
export { normalizedPortalUrl } from './portal-url.ts';
export { nextRunAt } from './schedule.ts';
export type { LastRun } from './schedule.ts';
