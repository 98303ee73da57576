export { openLog } from './logger.ts';
export type { Logger } from './logger.ts';
export { HEALTH } from './health.ts';
export type { Health } from './health.ts';
