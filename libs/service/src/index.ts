export { keepHeapSmall } from './heap.ts';
export { messageService } from './message-service.ts';
export { observed } from './observed.ts';
export type { Observers } from './observed.ts';
export { runService } from './run-service.ts';
export type { OpenService, Service, ServiceConfig, Surroundings } from './service.ts';
export { figuresOf, healthOf, SERVICE, serviceModule } from './service-module.ts';
export type { ServiceParts } from './service-module.ts';
export { stopOnSignal } from './stop-on-signal.ts';
