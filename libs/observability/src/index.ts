export { logLevel, openLog } from './logger.ts';
export type { Logger } from './logger.ts';
export { openMetrics } from './metrics.ts';
export type { Figures, Metrics } from './metrics.ts';
export { HEALTH } from './health.ts';
export type { Health } from './health.ts';
