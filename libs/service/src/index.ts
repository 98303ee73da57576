export { contextOf, outgoing, ownContext } from './context.ts';
export {
  encryptingConfig,
  eventSourcedConfig,
  lifeOf,
  migrateEventSourced,
  openEventSourced,
  placeOf,
  withoutCategory,
} from './event-sourced.ts';
export type { Doings, EncryptingConfig, EventSourced, EventSourcedConfig } from './event-sourced.ts';
export { keepHeapSmall } from './heap.ts';
export { messageService } from './message-service.ts';
export { openBus } from './open-bus.ts';
export { deadLetterAlarm, forgeryAlarm } from './alarms.ts';
export { CONNECTION_KEYS, OwnerGuard } from './owner-guard.ts';
export { observed } from './observed.ts';
export { RunGuard } from './run-guard.ts';
export { runService } from './run-service.ts';
export type { OpenService, Service, ServiceConfig } from './service.ts';
export { figuresOf, healthOf, OWN, SERVICE, serviceModule } from './service-module.ts';
export type { ServiceParts } from './service-module.ts';
export { stopOnSignal } from './stop-on-signal.ts';
